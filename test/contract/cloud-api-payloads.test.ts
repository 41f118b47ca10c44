/**
 * Posts published sample notifications as the network would, when they are in a folder beside the repository. They are never copied into
 * it: a clone without that folder skips this file, and the repository's own fixtures prove the same.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseElements } from '../support/callbacks.ts';
import {
  connectPhone,
  makePhoneNumber,
  makeNetworkId,
  openNetwork,
  findStoredMessage,
  makeMessageId,
  fillMessage,
  type Phone,
} from '../support/network.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { listEventNames } from '../support/traffic.ts';

const samples = new URL('../../../shared/fixtures/', import.meta.url);
const skip = existsSync(samples) ? false : 'the published samples are not beside this repository';

interface Sample {
  name: string;
  body: Json;
}

const readJson = (path: string): Json => JSON.parse(readFileSync(new URL(path, samples), 'utf8'));
const listFolder = (path: string): string[] =>
  readdirSync(new URL(path, samples)).filter((file) => file.endsWith('.json'));

function readSamples(): Sample[] {
  const [network, library] = ['meta-openapi/webhooks/', 'pywa/tests/data/updates/'];
  return [
    ...listFolder(network).map((file) => ({ name: file, body: readJson(network + file) })),
    ...listFolder(library).flatMap((file) =>
      Object.entries<Json>(readJson(library + file)).map(([name, body]) => ({ name: `${file} ${name}`, body })),
    ),
  ];
}

const listChanges = (body: Json): Json[] => (body.entry ?? []).flatMap((entry: Json) => entry.changes ?? []);
const listMessages = (body: Json): Json[] =>
  listChanges(body)
    .filter((change) => change.field === 'messages' || change.field === 'smb_message_echoes')
    .flatMap((change) => [...(change.value?.messages ?? []), ...(change.value?.message_echoes ?? [])]);

const networkIds = new Map<string, string>();

/** Gives a sample unique ids, because samples share ids and must not look like repetitions. A placeholder gets a number. */
function withOwnIds(body: Json): Json {
  const own = structuredClone(body);
  for (const { value } of listChanges(own)) {
    const id = value?.metadata?.phone_number_id;
    if (id === undefined || /^\d+$/.test(id)) continue;
    networkIds.set(id, networkIds.get(id) ?? makeNetworkId());
    value.metadata.phone_number_id = networkIds.get(id);
  }
  for (const message of listMessages(own)) message.id = makeMessageId();
  return own;
}

/** Adds a valid text message and a broken element beside the messages of a sample. */
function withNeighbours(body: Json, id: string): Json {
  const crowded = structuredClone(body);
  const [change] = listChanges(crowded).filter(({ field }) => field === 'messages');
  if (!change) return null;
  change.value.messages = [null, ...(change.value.messages ?? []), fillMessage({ from: makePhoneNumber(), id })];
  return crowded;
}

const platform = skip ? null : await startPlatform();
const network = platform && (await openNetwork(platform));
const phones = new Map<string, Phone>();

/** Connects each number of the samples, with coexistence switched on. */
async function connectNumbers(bodies: Json[]): Promise<void> {
  assert.ok(platform && network);
  const ids = bodies.flatMap(listChanges).map((change) => change.value?.metadata?.phone_number_id);
  for (const id of new Set(ids.filter((value) => value !== undefined))) {
    phones.set(id, await connectPhone(platform, { id }));
  }
  await platform.database.sql('update inboxes set coexistence_enabled = true');
}

if (platform) await connectNumbers(readSamples().map(({ body }) => withOwnIds(body)));

/** The messages in a body that must be stored, by number and id. */
const expectedMessages = (body: Json): { phone: Phone; id: string }[] =>
  parseElements(body).flatMap((element) => {
    const phone = element.kind === 'message' ? phones.get(element.address) : undefined;
    return phone && element.kind === 'message' ? [{ phone, id: element.externalId }] : [];
  });

test(
  'every published sample notification answers 200 and is stored once, however often it is posted',
  { skip },
  async (t) => {
    assert.ok(platform && network);
    const all = readSamples().map(({ name, body }) => ({ name, body: withOwnIds(body) }));
    const said = all
      .flatMap(({ body }) => listMessages(body))
      .filter(({ type }) => type !== 'edit' && type !== 'revoke');
    let stored = 0;
    for (const { name, body } of all) {
      for (let repetition = 0; repetition < 3; repetition += 1) await network.post(200, body);
      for (const { phone, id } of expectedMessages(body)) {
        const message = await findStoredMessage(platform, phone, id);
        assert.ok(message, `${name}: ${id} is not stored`);
        const events = await listEventNames(platform, message._id);
        assert.deepEqual(events, message.message_type === 'SYSTEM' ? [] : ['MESSAGE_RECEIVED'], name);
        stored += 1;
      }
    }
    const [row] = await platform.database.sql<{ count: number }>('select count(*)::int as count from messages');
    assert.equal(row?.count, stored);
    // This count does not use the parser; the samples had 48 messages when the test was written.
    assert.equal(stored, said.length);
    assert.ok(stored >= 48, `${stored} messages`);
    t.diagnostic(`${all.length} notifications, ${stored} messages`);
  },
);

test(
  'a broken element beside a published sample notification does not keep other elements from being stored',
  { skip },
  async () => {
    assert.ok(platform && network);
    for (const sample of readSamples()) {
      const id = makeMessageId();
      const body = withNeighbours(withOwnIds(sample.body), id);
      if (!body) continue;
      await network.post(200, body);
      for (const expected of expectedMessages(body)) {
        assert.ok(await findStoredMessage(platform, expected.phone, expected.id), `${sample.name}: ${expected.id}`);
      }
      assert.ok(
        expectedMessages(body).some((expected) => expected.id === id),
        sample.name,
      );
    }
  },
);
