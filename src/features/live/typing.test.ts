/** The indicator by which contacts see that someone writes an answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { startSecondProcess } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const countShown = async (): Promise<number> => (await platform.sandbox('GET', '/sandbox/stats')).typings;
const start = async (): Promise<Json> => (await writeAsContact(platform)).conversation;
const say = (id: string, state = 'TYPING', key = demo.key): Promise<Json> =>
  call(201, 'POST', `/v1/conversations/${id}/typing`, { key, body: { state } });

/** Returns true once the network has shown it to this contact, who has written one message. */
async function isShownTo({ phone_number }: Json): Promise<boolean> {
  const query = new URLSearchParams({ phone_number_id: '100000000000001', contact: phone_number.slice(1) });
  const { items } = await platform.sandbox('GET', `/sandbox/conversation?${query.toString()}`);
  return items[0].read;
}

/** Asserts that the network was not called for what was said before: a call for another conversation, which follows, is the only one. */
async function expectNothingShown(sayIt: () => Promise<unknown>): Promise<void> {
  const other = await writeAsContact(platform);
  const before = await countShown();
  await sayIt();
  await say(other.conversation._id);
  await waitUntil('the other contact to see it', () => isShownTo(other.contact));
  assert.equal(await countShown(), before + 1);
}

test('a contact sees that someone types, once in ten seconds however often and in however many processes it is said', async () => {
  const { _id } = await start();
  const before = await countShown();
  await say(_id);
  await waitUntil('the network to show it', async () => (await countShown()) === before + 1);
  const other = await startSecondProcess(platform);
  await expectNothingShown(async () => {
    for (let n = 0; n < 5; n += 1) await say(_id);
    const headers = { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ state: 'TYPING' });
    const path = `/v1/conversations/${_id}/typing`;
    assert.equal((await fetch(`${other.url}${path}`, { method: 'POST', headers, body })).status, 201);
  });
  await other.stop();
  await database.sql('update send_pairs set next_at = now() where person = $1', [_id]);
  await say(_id);
  await waitUntil('the network to show it again', async () => (await countShown()) === before + 3);
});

test('nothing is shown to a contact to whom no text could be sent, or by a caller who may not send', async () => {
  const { token } = await platform.createKey(demo._id, ['conversations:*', 'messages:read']);
  await expectNothingShown(async () => say((await start())._id, 'TYPING', token));
  await expectNothingShown(async () => say((await start())._id, 'VIEWING'));
  for (const state of ['blocked = true', 'opted_out = true']) {
    const { _id, contact } = await start();
    await database.sql(`update contacts set ${state} where _id = $1`, [contact]);
    await expectNothingShown(() => say(_id));
  }
  const { _id } = await start();
  await database.sql(`update conversations set window_expires_at = now() - interval '1 minute' where _id = $1`, [_id]);
  await expectNothingShown(() => say(_id));
});

test('in test mode only a contact among the test numbers sees that someone types', async () => {
  const [stranger, tester] = [await writeAsContact(platform), await writeAsContact(platform)];
  const write = (test_mode: Json): Promise<unknown> =>
    call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { test_mode } });
  await write({ enabled: true, test_numbers: [tester.contact.phone_number] });
  await say(stranger.conversation._id);
  await say(tester.conversation._id);
  await waitUntil('the test number to see it', () => isShownTo(tester.contact));
  assert.equal(await isShownTo(stranger.contact), false);
  await write({ enabled: false, test_numbers: [] });
});

test('a request does not wait for the indicator, and a refusal by the network is stored with the inbox', async () => {
  const { _id } = await start();
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query('begin');
  await client.query('lock table send_pairs');
  await say(_id);
  await client.query('rollback');
  await client.end();
  const account = { phone_number_id: '100000000000001', waba_id: '200000000000001', token: 'a-newer-token' };
  await platform.sandbox('POST', '/sandbox/accounts', account);
  await say((await start())._id);
  await waitUntil('the inbox to show the refusal', async () => {
    const { body } = await call(200, 'GET', `/v1/inboxes/${demo.inbox}`);
    return body.connection.status === 'ERROR';
  });
});
