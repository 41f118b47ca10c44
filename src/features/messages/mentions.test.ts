import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const ana = await platform.createUser(demo._id, 'OPERATOR');
const bia = await platform.createUser(demo._id, 'OPERATOR');
const { conversation } = await writeAsContact(platform, { from: makePhoneNumber(), text: 'Olá' });
const makeNote = (content: string, mentions?: unknown): Json => ({
  conversationId: conversation._id,
  message: { content },
  mentions,
});
const write = async (content: string, mentions?: string[]): Promise<Json> =>
  (await call(201, 'POST', '/v1/messages/note', { key: ana.token, body: makeNote(content, mentions) })).body;

test('a note keeps the users whom it mentions, and each of them finds it among the messages that mention them', async () => {
  const both = await write('For both, please call', [ana._id, bia._id]);
  const one = await write('For one', [bia._id]);
  const none = await write('For nobody');
  assert.deepEqual([both.mentions, one.mentions, none.mentions], [[ana._id, bia._id], [bia._id], []]);
  assert.deepEqual((await call(200, 'GET', `/v1/messages/${both._id}`)).body, both);
  const find = async (query: string): Promise<Json[]> =>
    (await call(200, 'GET', `/v1/messages?${query}`, { key: bia.token })).body.result;
  assert.deepEqual(await find(`mentioned=${bia._id}`), [one, both]);
  assert.deepEqual(await find(`mentioned=${ana._id}`), [both]);
  assert.deepEqual(await find(`mentioned=${bia._id}&search=call`), [both]);
  assert.deepEqual(await find(`mentioned=${bia._id}&limit=1&sort=createdAt`), [both]);
});

test("a note that mentions an unknown user or another company's is refused with the place, and nothing is stored", async () => {
  const other = await platform.createCompany();
  const stranger = await platform.createUser(other._id, 'OPERATOR');
  for (const user of [stranger._id, newId()]) {
    const body = makeNote('never stored', [ana._id, user]);
    expectProblem(await call(400, 'POST', '/v1/messages/note', { body }), 'UNKNOWN_REFERENCE', 'mentions[1]');
    expectProblem(await call(400, 'GET', `/v1/messages?mentioned=${user}`), 'UNKNOWN_REFERENCE', 'mentioned');
  }
  for (const mentions of [[ana._id, ana._id], Array.from({ length: 21 }, () => newId()), ['ana'], ana._id]) {
    const body = makeNote('never stored', mentions);
    assert.equal((await call(400, 'POST', '/v1/messages/note', { body })).body.code, 'VALIDATION_FAILED');
  }
  assert.deepEqual((await call(200, 'GET', '/v1/messages?search=never')).body.result, []);
});
