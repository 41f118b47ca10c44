/** Parses notifications that no network would send: random mutations of the fixtures. Each result must come quickly and be well formed. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { assertStorable, mutate } from '../../../test/support/mutations.ts';
import { createRandom } from '../../../test/support/random.ts';
import type { Inbound } from '../channel.ts';
import type { Person } from '../identity.ts';
import { CONTENT_TYPES, listParts, type ContentParts } from '../content.ts';
import type { Json } from '../values.ts';
import { parseElements } from '../../../test/support/callbacks.ts';

const ROUNDS = 6000;
/** The most CPU milliseconds for one notification: a few kB take well below a millisecond, so a parser that needs a second is broken. */

function assertPerson({ names }: Person): void {
  assert.ok(names.length > 0);
  for (const { kind, address } of names) {
    if (kind === 'PHONE') assert.match(address, /^\d{5,15}$/);
    else assert.equal(kind, 'BSUID');
  }
}

function assertContent(content: ContentParts): void {
  assert.ok(CONTENT_TYPES.includes(content.contentType));
  assert.ok(content.contentType !== 'TEXT' || content.content === null || typeof content.content === 'string');
  assert.equal(
    ['IMAGE', 'VIDEO', 'AUDIO', 'DOCUMENT', 'STICKER'].includes(content.contentType),
    content.media !== null,
  );
  assert.equal(content.contentType === 'REACTION', content.reaction !== null);
  assert.equal(content.contentType === 'LOCATION', content.location !== null);
  assert.equal(content.contentType === 'INTERACTIVE', content.interactive !== null);
}

function assertWellFormed(item: Inbound): void {
  assertStorable(item);
  if (item.kind === 'unreadable') return assert.ok(item.reason !== '');
  if (item.kind === 'history')
    return assert.ok(item.address !== '' && (item.progress === null || (item.progress >= 0 && item.progress <= 100)));
  assert.ok(item.timestamp.getTime() > 0);
  if (item.kind === 'account') return assert.ok(item.account !== '');
  if (item.kind === 'template') return assert.ok(item.account !== '' && item.name !== '' && item.language !== '');
  if (item.kind === 'people-limit') return assert.ok(item.account !== '' && Number.isInteger(item.people));
  assert.ok(item.address !== '');
  if (item.kind === 'preference') return assertPerson(item.person);
  assert.ok(item.kind !== 'position' && item.kind !== 'connection' && item.kind !== 'report', 'this network has none');
  assert.ok(item.externalId !== '' && item.externalId.length <= 512);
  if (item.kind === 'message') {
    assertPerson(item.person);
    assertContent(listParts(item));
    if (item.renamed) assertPerson(item.renamed);
  }
  if (item.kind === 'edit') assertContent(listParts(item.content));
  if (item.kind === 'edit' || item.kind === 'revoke') assert.ok(item.originalExternalId !== '');
}

test(`${ROUNDS} mutated notifications are all parsed, and their elements are well formed`, (t) => {
  const folder = new URL('./fixtures/', import.meta.url);
  const sources = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const source = sources[round % sources.length] ?? '';
    const { callback } = JSON.parse(source) as Json;
    mutate(callback, JSON.parse(source), random);
    const read = parseElements(callback);
    try {
      for (const item of read) assertWellFormed(item);
    } catch (error) {
      // Failure policy: the error is thrown again, with the seed and the round that repeat it.
      throw new Error(`round ${round} of SEED=${seed}`, { cause: error });
    }
    for (const { kind } of read) seen.add(kind);
  }
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  assert.deepEqual([...seen].toSorted(), [
    'account',
    'edit',
    'history',
    'message',
    'people-limit',
    'preference',
    'revoke',
    'status',
    'template',
    'unreadable',
  ]);
});

test('a notification with 400,000 null messages is parsed, and each message gives one element', () => {
  const messages = Array.from({ length: 400_000 }, () => null);
  const value = { metadata: { phone_number_id: '1' }, messages };
  const read = parseElements({ entry: [{ id: '1', changes: [{ field: 'messages', value }] }] });
  assert.equal(read.length, messages.length);
});
