/** The clocks of conversations by SLA policies: when they run and stand still, and what happens when a target is missed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { readEvents, sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { createSlaUpkeep } from './slas.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const PATH = '/v1/sla-policies';
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
const addPolicy = async (body: Json): Promise<Json> =>
  (await call(201, 'POST', PATH, { body: { name: 'Policy', ...body } })).body;
const removeAll = async (): Promise<void> => {
  for (const { _id } of (await read(PATH)).result) await call(200, 'DELETE', `${PATH}/${_id}`);
};
const change = (conversation: string, body: Json): Promise<Json> =>
  call(200, 'PATCH', `/v1/conversations/${conversation}`, { body });
/** Waits until the clocks follow all changes, and returns the conversation. */
async function settle(conversation: string): Promise<Json> {
  await waitUntil('all turns to be taken', async () => (await database.sql('select from sla_turns')).length === 0);
  return read(`/v1/conversations/${conversation}`);
}
const write = async (from = makePhoneNumber()): Promise<Json> =>
  settle((await writeAsContact(platform, { from })).conversation._id);
const minutesAfter = (since: string, at: string | null): number | null =>
  at === null ? null : Math.round((Date.parse(at) - Date.parse(since)) / 60_000);
const listDue = ({ sla, waiting_since }: Json): unknown[] =>
  [sla.first_reply_due_at, sla.next_reply_due_at, sla.close_due_at].map((at) => minutesAfter(waiting_since, at));
/** Moves all clocks of the conversation back, as if this time had passed. */
const passMinutes = (conversation: string, minutes: number): Promise<unknown> =>
  database.sql(
    `update conversation_slas set first_reply_due_at = first_reply_due_at - make_interval(mins => $2),
      next_reply_due_at = next_reply_due_at - make_interval(mins => $2), close_due_at = close_due_at - make_interval(mins => $2),
      due_at = due_at - make_interval(mins => $2), notice_at = notice_at - make_interval(mins => $2) where conversation_id = $1`,
    [conversation, minutes],
  );

test('the first reply, later replies and the close have targets, which stop with the reply and the close', async () => {
  const policy = await addPolicy({ first_reply_minutes: 30, next_reply_minutes: 60, close_minutes: 240 });
  const from = makePhoneNumber();
  const first = await write(from);
  assert.equal(first['sla'].policy, policy['_id']);
  assert.deepEqual(listDue(first), [30, null, 240]);
  assert.equal(first['sla'].due_at, first['sla'].first_reply_due_at);
  await sendText(platform, first['_id']);
  const replied = await settle(first['_id']);
  const { first_reply_due_at, next_reply_due_at, close_due_at, due_at } = replied['sla'];
  assert.deepEqual([first_reply_due_at, next_reply_due_at, due_at], [null, null, close_due_at]);
  assert.deepEqual(listDue(await write(from)).slice(0, 2), [null, 60]);
  await change(first['_id'], { status: 'CLOSED' });
  assert.equal((await settle(first['_id']))['sla'], null);
  await removeAll();
});

test('a snooze stops the clocks, and they begin again when it ends', async () => {
  await addPolicy({ first_reply_minutes: 30, close_minutes: 60 });
  const { _id } = await write();
  await database.sql(`update conversations set waiting_since = waiting_since - interval '1 day' where _id = $1`, [_id]);
  await change(_id, { status: 'SNOOZED', snoozed_until: '2099-01-01T00:00:00.000Z' });
  assert.equal((await settle(_id))['sla'].due_at, null);
  const before = Date.now();
  await change(_id, { status: 'OPEN' });
  const { first_reply_due_at } = (await settle(_id))['sla'];
  assert.ok(Date.parse(first_reply_due_at) >= before + 30 * 60_000);
  await removeAll();
});

test('the first policy applies whose inboxes, teams and priorities match, also after a change of the conversation', async () => {
  const { _id: team } = (await call(201, 'POST', '/v1/teams', { body: { name: 'Orders' } })).body;
  const all = await addPolicy({ first_reply_minutes: 60, position: 9 });
  const urgent = await addPolicy({ first_reply_minutes: 10, priorities: ['URGENT'] });
  const ofTeam = await addPolicy({ first_reply_minutes: 20, teams: [team], position: 1 });
  await addPolicy({ first_reply_minutes: 5, inboxes: [] });
  const { _id, sla } = await write();
  assert.equal(sla.policy, all['_id']);
  await change(_id, { team });
  assert.equal((await settle(_id))['sla'].policy, ofTeam['_id']);
  await change(_id, { priority: 'URGENT' });
  assert.equal((await settle(_id))['sla'].policy, urgent['_id']);
  await call(200, 'DELETE', `/v1/teams/${team}`);
  await waitUntil(
    'the policy to lose the team',
    async () => (await read(`${PATH}/${ofTeam['_id']}`))['teams'].length === 0,
  );
  await call(200, 'DELETE', `${PATH}/${urgent['_id']}`);
  assert.equal((await read(`/v1/conversations/${_id}`))['sla'], null);
  await removeAll();
});

test('within business hours only the hours of the inbox count', async () => {
  const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
  const day = days[(new Date().getUTCDay() + 3) % 7];
  const body = { name: 'Shop', time_zone: 'UTC', days: [{ day, from: '09:00', to: '18:00' }] };
  const { _id: business_hours } = (await call(201, 'POST', '/v1/business-hours', { body })).body;
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { business_hours } });
  await addPolicy({ first_reply_minutes: 30, within_business_hours: true });
  assert.match((await write())['sla'].due_at, /T09:30:00.000Z$/);
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { business_hours: null } });
  await removeAll();
});

test('a missed target is told once by several processes, with one event and one notification of the owner, and is found by the filter until it is met', async () => {
  const others = [createSlaUpkeep(platform.running.kit), createSlaUpkeep(platform.running.kit)].flat();
  await addPolicy({ first_reply_minutes: 60, next_reply_minutes: 60 });
  const { _id } = await write();
  const owner = await platform.createUser(demo._id, 'OPERATOR');
  await change(_id, { owner: owner._id });
  const list = async (sla: string): Promise<string[]> =>
    (await read(`/v1/conversations?sla=${sla}`)).result.map((each: Json) => each['_id']);
  assert.deepEqual([await list('DUE_SOON'), await list('BREACHED')], [[], []]);
  await passMinutes(_id, 40);
  assert.deepEqual([await list('DUE_SOON'), await list('BREACHED')], [[_id], []]);
  const before = (await readEvents(platform, _id)).length;
  await passMinutes(_id, 40);
  for (const { begin } of others) begin(true);
  const missed = await waitUntil('the breach', async () => {
    const found = await read(`/v1/conversations/${_id}`);
    return found['sla'].breached_at !== null && found;
  });
  await Promise.all(others.map(({ stop }) => stop()));
  assert.equal(missed['sla'].breached_at, missed['sla'].due_at);
  assert.deepEqual([await list('DUE_SOON'), await list('BREACHED')], [[], [_id]]);
  assert.deepEqual((await readEvents(platform, _id)).slice(before), [{ event: 'CONVERSATION_UPDATED', data: missed }]);
  const { result } = (await call(200, 'GET', '/v1/notifications?kind=SLA_BREACHED', { key: owner.token })).body;
  assert.deepEqual(
    result.map(({ conversation, count }: Json) => [conversation, count]),
    [[_id, 1]],
  );
  await sendText(platform, _id);
  assert.equal((await settle(_id))['sla'].breached_at, null);
  assert.deepEqual(await list('BREACHED'), []);
  await removeAll();
});

test('each missed target is told, and notifies the members of the team of a conversation without an owner', async () => {
  await addPolicy({ first_reply_minutes: 30, close_minutes: 60 });
  const { _id: member, token: key } = await platform.createUser(demo._id, 'OPERATOR');
  const body = { name: 'Care', members: [member] };
  const { _id: team } = (await call(201, 'POST', '/v1/teams', { body })).body;
  const { _id } = await write();
  await change(_id, { team });
  await settle(_id);
  for (const target of ['first_reply_due_at', 'close_due_at']) {
    await passMinutes(_id, 40);
    await waitUntil('the breach', async () => {
      const { sla } = await read(`/v1/conversations/${_id}`);
      return sla.breached_at !== null && sla.breached_at === sla[target];
    });
  }
  const { result } = (await call(200, 'GET', '/v1/notifications?kind=SLA_BREACHED', { key })).body;
  assert.deepEqual(
    result.map(({ conversation, count }: Json) => [conversation, count]),
    [[_id, 2]],
  );
  await removeAll();
});

test('a missed target of a conversation without an owner and a team notifies those who follow the queue, and reports count it', async () => {
  const countMissed = async (): Promise<number> => (await read('/v1/reports/summary')).figures.sla_missed;
  const before = await countMissed();
  await addPolicy({ first_reply_minutes: 30 });
  const { token: key } = await platform.createUser(demo._id, 'OPERATOR');
  const { token: other } = await platform.createUser(demo._id, 'OPERATOR');
  await call(200, 'PUT', '/v1/notification-settings', {
    key,
    body: { UNASSIGNED_NEW: { console: true, browser: false } },
  });
  const { _id } = await write();
  await settle(_id);
  await passMinutes(_id, 40);
  await waitUntil('the breach', async () => (await read(`/v1/conversations/${_id}`)).sla.breached_at !== null);
  const list = async (by: string): Promise<string[]> => {
    const { result } = (await call(200, 'GET', '/v1/notifications?kind=SLA_BREACHED', { key: by })).body;
    return result.map(({ conversation }: Json) => conversation);
  };
  assert.deepEqual([await list(key), await list(other)], [[_id], []]);
  assert.equal((await countMissed()) - before, 1);

  await removeAll();
});

test('a policy that takes effect later counts the replies given before, and clocks also follow changes after the last policy is gone', async () => {
  const from = makePhoneNumber();
  const { _id, createdAt } = await write(from);
  await sendText(platform, _id);
  await addPolicy({ first_reply_minutes: 30, next_reply_minutes: 60, close_minutes: 240 });
  const { sla, waiting_since } = await write(from);
  assert.deepEqual([sla.first_reply_due_at, minutesAfter(waiting_since, sla.next_reply_due_at)], [null, 60]);
  assert.equal(Date.parse(sla.close_due_at) - Date.parse(createdAt), 240 * 60_000);
  await removeAll();
  await change(_id, { status: 'CLOSED' });
  await settle(_id);
  assert.deepEqual(await database.sql('select from conversation_slas where conversation_id = $1', [_id]), []);
});
