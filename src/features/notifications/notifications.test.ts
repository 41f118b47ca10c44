/** What users are notified of, through the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitRun, insertConversations, RUNS } from '../../../test/support/conversation-runs.ts';
import { openLive } from '../../../test/support/live.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { countStatements } from '../../../test/support/statements.ts';
import { sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';
import { purgeNotifications } from './upkeep.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

interface Person {
  _id: string;
  token: string;
}

const addUser = (name: string): Promise<Person> => platform.createUser(demo._id, 'OPERATOR', name);
const list = async ({ token: key }: Person, query = ''): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/notifications?${query}`, { key })).body.result;
const count = async ({ token: key }: Person): Promise<number> =>
  (await call(200, 'GET', '/v1/notifications/counts', { key })).body.unread;
const assign = (conversation: string, owner: Person | null, by?: Person): Promise<unknown> =>
  call(200, 'PATCH', `/v1/conversations/${conversation}`, {
    body: { owner: owner?._id ?? null },
    ...(by && { key: by.token }),
  });
const writeNote = async (conversationId: string, by: Person, mentions: Person[]): Promise<Json> =>
  (
    await call(201, 'POST', '/v1/messages/note', {
      key: by.token,
      body: { conversationId, message: { content: 'Please look' }, mentions: mentions.map(({ _id }) => _id) },
    })
  ).body;
const choose = (by: Person, body: Json): Promise<Json> =>
  call(200, 'PUT', '/v1/notification-settings', { key: by.token, body });
const pick = ({ kind, conversation, count: times }: Json): unknown[] => [kind, conversation, times];

test('the new owner of a conversation is notified of who assigned it, and a user who takes it is not', async () => {
  const [ana, bia] = [await addUser('Ana'), await addUser('Bia')];
  const { conversation, contact } = await writeAsContact(platform);
  await assign(conversation._id, ana, bia);
  const [notification] = await list(ana);
  const { _id, createdAt: _raised, updatedAt: _changed, contact_summary, ...rest } = notification ?? {};
  assert.deepEqual(rest, {
    company: demo._id,
    user: ana._id,
    kind: 'ASSIGNED',
    conversation: conversation._id,
    contact: contact._id,
    actor: { type: 'USER', _id: bia._id, name: 'Bia' },
    message: null,
    author: null,
    preview: null,
    count: 1,
    read_at: null,
  });
  assert.deepEqual(contact_summary, conversation.contact_summary);
  await assign(conversation._id, bia, bia);
  assert.deepEqual(await list(bia), []);
  const body = { inbox: demo.inbox, phone_number: `+${makePhoneNumber()}`, owner: bia._id };
  const { body: opened } = await call(201, 'POST', '/v1/conversations', { key: ana.token, body });
  assert.deepEqual((await list(bia)).map(pick), [['ASSIGNED', opened._id, 1]]);
});

test('users whom a note mentions are notified once per conversation with the number of mentions, and its writer is not', async () => {
  const [ana, bia] = [await addUser('Ana'), await addUser('Bia')];
  const { conversation } = await writeAsContact(platform);
  await writeNote(conversation._id, ana, [ana, bia]);
  const second = await writeNote(conversation._id, ana, [bia]);
  const [mentioned] = await list(bia);
  assert.deepEqual(pick(mentioned ?? {}), ['MENTIONED', conversation._id, 2]);
  assert.deepEqual([mentioned?.message, mentioned?.preview], [second._id, 'Please look']);
  assert.deepEqual(await list(ana), []);
});

test('the owner and the followers are notified of a reply, and further replies raise the unread notification', async () => {
  const [owner, writer, stranger] = [await addUser('Owner'), await addUser('Writer'), await addUser('Stranger')];
  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from });
  await assign(conversation._id, owner, owner);
  await sendText(platform, conversation._id, { key: writer.token });
  await writeAsContact(platform, { from, text: 'One' });
  const { message } = await writeAsContact(platform, { from, text: 'Two' });
  for (const user of [owner, writer]) {
    const [reply, ...others] = await list(user);
    assert.deepEqual(pick(reply ?? {}), ['REPLIED', conversation._id, 2]);
    assert.deepEqual([reply?.message, reply?.preview, reply?.actor], [message._id, 'Two', null]);
    assert.deepEqual(others, []);
  }
  assert.deepEqual(await list(stranger), []);
});

test('a user who has turned a kind off is not notified of it, and only users who turn it on are notified of new work', async () => {
  const [ana, bia] = [await addUser('Ana'), await addUser('Bia')];
  const off = { console: false, browser: true, push: false, mail: true };
  const on = { console: true, browser: false, push: true, mail: false };
  const others = { NOT_SENT: on, SLA_BREACHED: off };
  const chosen = { ASSIGNED: off, TEAM_ASSIGNED: off, MENTIONED: off, REPLIED: off, UNASSIGNED_NEW: on, ...others };
  assert.deepEqual((await choose(ana, chosen))['body'], chosen);
  // Clients that know only the older switches change no other.
  const UNASSIGNED_NEW = { console: true, browser: true };
  const { body: kept } = await choose(ana, { UNASSIGNED_NEW });
  assert.deepEqual(kept, { ...chosen, UNASSIGNED_NEW: { ...on, ...UNASSIGNED_NEW } });
  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from });
  assert.deepEqual((await list(ana)).map(pick), [['UNASSIGNED_NEW', conversation._id, 1]]);
  await assign(conversation._id, ana, bia);
  await writeNote(conversation._id, bia, [ana]);
  await writeAsContact(platform, { from });
  assert.equal((await list(ana)).length, 1);
  assert.deepEqual((await list(bia)).map(pick), [['REPLIED', conversation._id, 1]]);
  const defaults = { console: true, browser: true, push: true, mail: true };
  const { body: standard } = await call(200, 'GET', '/v1/notification-settings', { key: bia.token });
  assert.deepEqual(standard, {
    ASSIGNED: defaults,
    TEAM_ASSIGNED: { ...defaults, mail: false },
    MENTIONED: defaults,
    REPLIED: { ...defaults, mail: false },
    UNASSIGNED_NEW: { console: false, browser: false, push: false, mail: false },
    NOT_SENT: defaults,
    SLA_BREACHED: { ...defaults, mail: false },
  });
  await choose(ana, { UNASSIGNED_NEW: off });
});

test('a reopened conversation without owner is new work, and one that an agent answers is so once it hands over', async () => {
  const [ana, bia] = [await addUser('Ana'), await addUser('Bia')];
  const { conversation } = await writeAsContact(platform);
  const change = (body: Json): Promise<unknown> =>
    call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body, key: bia.token });
  await change({ status: 'CLOSED' });
  await choose(ana, { UNASSIGNED_NEW: { console: true, browser: true } });
  await change({ status: 'OPEN' });
  assert.deepEqual((await list(ana)).map(pick), [['UNASSIGNED_NEW', conversation._id, 1]]);
  await database.sql(`update conversations set status = 'CLOSED', handled_by = 'AI' where _id = $1`, [
    conversation._id,
  ]);
  await call(200, 'POST', '/v1/notifications/read', { key: ana.token, body: { until: new Date().toISOString() } });
  await database.sql(`update conversations set status = 'OPEN' where _id = $1`, [conversation._id]);
  assert.equal(await count(ana), 0);
  await database.sql(`update conversations set handled_by = 'HUMAN' where _id = $1`, [conversation._id]);
  assert.deepEqual((await list(ana)).map(pick).slice(0, 1), [['UNASSIGNED_NEW', conversation._id, 1]]);
  await choose(ana, { UNASSIGNED_NEW: { console: false, browser: false } });
});

test('conversations that are opened or reopened together change one notification of each user once', async () => {
  const users = [await addUser('Ana'), await addUser('Bia')];
  for (const user of users) await choose(user, { UNASSIGNED_NEW: { console: true, browser: true } });
  const open = (): Promise<string[]> =>
    insertConversations(platform, { company: demo._id, inbox: demo.inbox, name: 'Maria' }, 40);
  await database.sql('create table written (at timestamptz default clock_timestamp())');
  await database.sql(`create function note_written() returns trigger language plpgsql as
    $$ begin insert into written default values; return null; end $$`);
  await database.sql(
    'create trigger each_written after insert or update on notifications for each row execute function note_written()',
  );
  const ids = [...(await open()), ...(await open())];
  await database.sql(`update conversations set status = 'CLOSED' where _id = any($1)`, [ids]);
  await database.sql(`update conversations set status = 'OPEN' where _id = any($1)`, [ids]);
  const [written] = await database.sql('select count(*)::int as count from written');
  await database.sql('drop function note_written cascade');
  assert.deepEqual(written, { count: 3 * users.length });
  for (const user of users) assert.deepEqual((await list(user)).map(pick), [['UNASSIGNED_NEW', null, 160]]);
  for (const user of users) await choose(user, { UNASSIGNED_NEW: { console: false, browser: true } });
});

test('a bulk change that assigns many conversations to a user is one notification with their number', async () => {
  const ana = await addUser('Ana');
  const ids = await insertConversations(platform, { company: demo._id, inbox: demo.inbox, name: 'Maria' }, 115);
  const body = { ids, change: { owner: ana._id } };
  const run = (await call(201, 'POST', RUNS, { body })).body;
  assert.equal((await awaitRun(platform, run._id)).changed_count, 115);
  assert.deepEqual((await list(ana)).map(pick), [['ASSIGNED', null, 115]]);
});

test('users and keys see, count, receive live and mark as read only their own notifications', async () => {
  const [ana, bia] = [await addUser('Ana'), await addUser('Bia')];
  const other = await platform.createCompany();
  const stranger = await platform.createUser(other._id, 'OWNER');
  const streams = await Promise.all(
    [ana.token, bia.token, demo.key, stranger.token].map((key) => openLive(platform, { key })),
  );
  const [mine, ...theirs] = streams;
  const { conversation } = await writeAsContact(platform);
  await assign(conversation._id, ana, bia);
  const [notification] = await list(ana);
  assert.deepEqual(await mine?.waitFor('notification', ({ _id }) => _id === notification?._id), notification);
  // A contact that is created afterwards shows that the streams of the company have received everything before it.
  const { body: marker } = await call(201, 'POST', '/v1/contacts', { body: { name: 'Marker' } });
  for (const stream of theirs.slice(0, 2)) await stream.waitFor('contact', ({ _id }) => _id === marker._id);
  for (const { events } of theirs)
    assert.deepEqual(
      events.filter(({ event }) => event === 'notification'),
      [],
    );
  for (const key of [bia.token, stranger.token]) {
    const { body } = await call(200, 'GET', '/v1/notifications', { key });
    assert.deepEqual(body.result, []);
    const refused = await call(400, 'POST', '/v1/notifications/read', { key, body: { ids: [notification?._id] } });
    expectProblem(refused, 'UNKNOWN_REFERENCE', 'ids[0]');
    await call(200, 'POST', '/v1/notifications/read', { key, body: { until: new Date().toISOString() } });
  }
  assert.equal(await count(ana), 1);
  for (const path of ['/v1/notifications', '/v1/notifications/counts', '/v1/notification-settings'])
    expectProblem(await call(403, 'GET', path), 'FORBIDDEN');
  await Promise.all(streams.map((stream) => stream.close()));
});

test('notifications are marked as read by id, up to a time, and with their conversation, and a read one stays', async () => {
  const [ana, bia] = [await addUser('Ana'), await addUser('Bia')];
  const conversations: string[] = [];
  for (let index = 0; index < 3; index += 1) conversations.push((await writeAsContact(platform)).conversation._id);
  for (const each of conversations) await writeNote(each, bia, [ana]);
  const [third, second] = await list(ana, 'unread=true');
  const read = async (body: Json): Promise<Json> =>
    (await call(200, 'POST', '/v1/notifications/read', { key: ana.token, body })).body;
  const counts = (unread: number): Json => ({
    unread,
    by_kind: {
      ASSIGNED: 0,
      TEAM_ASSIGNED: 0,
      MENTIONED: unread,
      REPLIED: 0,
      UNASSIGNED_NEW: 0,
      NOT_SENT: 0,
      SLA_BREACHED: 0,
    },
  });
  assert.deepEqual(await read({ ids: [third?._id] }), counts(2));
  await call(200, 'PUT', `/v1/conversations/${second?.conversation}/read`, { key: bia.token });
  assert.equal(await count(ana), 2);
  await call(200, 'PUT', `/v1/conversations/${second?.conversation}/read`, { key: ana.token });
  assert.equal(await count(ana), 1);
  assert.deepEqual(await read({ until: new Date().toISOString() }), counts(0));
  assert.equal((await list(ana, 'unread=false&kind=MENTIONED')).length, 3);
});

test('notifications are marked as read either by id or up to a time, and a refusal names the field', async () => {
  const ana = await addUser('Ana');
  for (const [body, path] of [
    [{}, 'ids'],
    [{ ids: [newId()], until: new Date().toISOString() }, 'ids'],
    [{ ids: [] }, 'ids'],
    [{ ids: ['x'] }, 'ids[0]'],
    [{ until: 'now' }, 'until'],
  ] as const) {
    const refused = await call(400, 'POST', '/v1/notifications/read', { key: ana.token, body });
    expectProblem(refused, 'VALIDATION_FAILED', path);
  }
});

test('a batch of messages in conversations without owner and followers runs no statement about notifications', async () => {
  const ana = await addUser('Ana');
  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from });
  const countNotifying = (): Promise<number> =>
    countStatements('notifications.notifyReplies', null, () => writeAsContact(platform, { from }));
  assert.equal(await countNotifying(), 0);
  await assign(conversation._id, ana, ana);
  assert.equal(await countNotifying(), 1);
});

test('notifications are deleted after 90 days, and beyond the newest 1,000 of a user', async () => {
  const ana = await addUser('Ana');
  await database.sql(
    `insert into notifications (company_id, _id, user_id, kind, created_at)
      select $1, new_id(), $2, 'ASSIGNED', now() - make_interval(mins => n) from generate_series(1, 1005) n
      union all select $1, new_id(), $2, 'REPLIED', now() - interval '91 days'`,
    [demo._id, ana._id],
  );
  await purgeNotifications(platform.running.kit);
  assert.equal(await count(ana), 1_000);
  assert.deepEqual(await list(ana, 'kind=REPLIED'), []);
});
