/**
 * Parses notifications that other projects published, if their files are next to this repository. They are not
 * copied into the repository, so this test is skipped without them; the fixtures of the repository prove the same.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseElements } from '../../../test/support/callbacks.ts';
import { asList, asRecord } from '../values.ts';

const samples = new URL('../../../../shared/fixtures/', import.meta.url);
const skip = existsSync(samples) ? false : 'the published samples are not beside this repository';

/** Elements about an account or about a person's wishes, which the counts below leave out. */
const NEWS = new Set(['account', 'preference', 'template', 'people-limit']);

/** Counts the messages, echoes and statuses of a notification without the parser. The platform ignores calls. */
function countElements(callback: unknown): number {
  return asList(asRecord(callback)?.entry)
    .flatMap((entry) => asList(asRecord(entry)?.changes))
    .map((change) => asRecord(change))
    .map((change) => (change?.field === 'calls' ? null : asRecord(change?.value)))
    .flatMap((value) => [value?.messages, value?.message_echoes, value?.statuses])
    .reduce<number>((total, elements) => total + asList(elements).length, 0);
}

function readFolder(path: string): [string, unknown][] {
  const folder = new URL(path, samples);
  return readdirSync(folder).map((file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8'))]);
}

function assertAllElementsRead(name: string, callback: unknown): number {
  const kinds = parseElements(callback).map((item) => item.kind);
  assert.ok(!kinds.includes('unreadable'), `${name} has an element that was not understood`);
  const elements = kinds.filter((kind) => !NEWS.has(kind)).length;
  assert.equal(elements, countElements(callback), `${name} lost an element`);
  return elements;
}

test("every message and status of the network's published examples is parsed", { skip }, () => {
  let elements = 0;
  for (const [file, callback] of readFolder('meta-openapi/webhooks/'))
    elements += assertAllElementsRead(file, callback);
  assert.ok(elements >= 13);
});

test("every message and status of a client library's test data is parsed", { skip }, () => {
  let elements = 0;
  for (const [file, cases] of readFolder('pywa/tests/data/updates/')) {
    for (const [name, callback] of Object.entries(asRecord(cases) ?? {})) {
      elements += assertAllElementsRead(`${file} ${name}`, callback);
    }
  }
  assert.ok(elements >= 40);
});
