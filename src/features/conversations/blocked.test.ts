/** What the messages of blocked contacts cause: they are stored, and no one is told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const change = async (path: string, body: Json): Promise<Json> => (await call(200, 'PATCH', path, { body })).body;
const setInbox = (body: Json): Promise<Json> => call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body });
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/conversations/${id}`)).body;
const write = async (from: string): Promise<string> => (await writeAsContact(platform, { from })).conversation._id;
const setBlocked = async (id: string, blocked: boolean): Promise<Json> =>
  change(`/v1/contacts/${(await read(id)).contact}`, { blocked });
/** Waits until teams, rules and SLA targets follow all changes. */
const settle = (): Promise<unknown> =>
  waitUntil('all work to be done', async () => {
    const tables = ['team_turns', 'rule_events', 'sla_turns'].map((table) => `select 1 from ${table}`);
    return (await database.sql(tables.join(' union all '))).length === 0;
  });

const member = await platform.createUser(demo._id, 'OPERATOR');
const addTeam = async (distribution: string): Promise<string> =>
  (await call(201, 'POST', '/v1/teams', { body: { name: distribution, members: [member._id], distribution } })).body
    ._id;
const teams = [null, await addTeam('MANUAL'), await addTeam('ROUND_ROBIN')];
await call(200, 'PUT', '/v1/notification-settings', {
  key: member.token,
  body: { UNASSIGNED_NEW: { console: true, browser: false } },
});
await call(201, 'POST', '/v1/sla-policies', { body: { name: 'All', first_reply_minutes: 5, close_minutes: 60 } });
for (const event of ['MESSAGE_RECEIVED', 'CONVERSATION_OPENED', 'CONVERSATION_ASSIGNED'])
  await call(201, 'POST', '/v1/rules', { body: { name: event, event, actions: { add_tags: [event] } } });
await setInbox({ reopen_days: 7 });

const countTold = async (): Promise<number> =>
  (await call(200, 'GET', '/v1/notifications', { key: member.token })).body.meta.totalCount;

test('a conversation that a blocked contact opens or reopens notifies no one, has no owner and no SLA targets and runs no rules until the contact is unblocked', async () => {
  const opened: string[] = [];
  for (const default_team of teams) {
    await setInbox({ default_team });
    const phone_number = makePhoneNumber();
    await call(201, 'POST', '/v1/contacts', { body: { phone_number: `+${phone_number}`, blocked: true } });
    const id = await write(phone_number);
    await settle();
    await change(`/v1/conversations/${id}`, { status: 'CLOSED' });
    assert.equal(await write(phone_number), id);
    opened.push(id);
  }
  await settle();
  for (const id of opened) {
    const { status, owner, sla, tags } = await read(id);
    assert.deepEqual([status, owner, sla, tags], ['OPEN', null, null, []]);
  }
  assert.equal(await countTold(), 0);
  for (const id of opened) await setBlocked(id, false);
  await settle();
  assert.deepEqual(
    (await Promise.all(opened.map(read))).map(({ owner }) => owner),
    [null, null, member._id],
  );
});

test('a user who moves a conversation of a blocked contact to a team notifies its members', async () => {
  await setInbox({ default_team: null });
  const id = await write(makePhoneNumber());
  await setBlocked(id, true);
  const before = await countTold();
  await change(`/v1/conversations/${id}`, { team: teams[1] });
  assert.equal(await countTold(), before + 1);
});

test('blocking a contact ends the SLA targets of its conversations, and unblocking sets them again', async () => {
  const id = await write(makePhoneNumber());
  await settle();
  const { sla } = await read(id);
  await setBlocked(id, true);
  await settle();
  assert.equal((await read(id)).sla, null);
  await setBlocked(id, false);
  await settle();
  assert.deepEqual((await read(id)).sla, sla);
});
