/** How the conversations of a team are given to its members. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { insertConversations, insertInbox } from '../../../test/support/conversation-runs.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { lockRows } from '../../../test/support/rows.ts';
import { readEvents, sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { createDistribution } from './distribution.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const { kit } = platform.running;

const addUser = (role: 'OPERATOR' | 'VIEWER' = 'OPERATOR'): Promise<Json> => platform.createUser(demo._id, role);
let made = 0;
const addTeam = async (members: Json[], rule: Json): Promise<string> => {
  made += 1;
  const body = { name: `Team ${made}`, members: members.map(({ _id }) => _id), ...rule };
  return (await call(201, 'POST', '/v1/teams', { body })).body._id;
};
const change = (path: string, body: Json, key = demo.key): Promise<Json> => call(200, 'PATCH', path, { body, key });
const move = (conversation: string, body: Json): Promise<Json> => change(`/v1/conversations/${conversation}`, body);
const write = async (): Promise<string> => (await writeAsContact(platform)).conversation._id;
const readOwner = async (conversation: string): Promise<string | null> =>
  (await call(200, 'GET', `/v1/conversations/${conversation}`)).body.owner;
const awaitOwner = (conversation: string, owner: string | null = null): Promise<unknown> =>
  waitUntil('the conversation to get its owner', async () => {
    const present = await readOwner(conversation);
    return owner === null ? present !== null : present === owner;
  });
/** Waits until no team has a turn, so that what has no owner then gets none. */
const settle = (): Promise<unknown> =>
  waitUntil('all turns to be taken', async () => (await database.sql('select from team_turns')).length === 0);
/** Gives the team conversations whose contacts wait for an answer. */
async function bring(team: string, count: number, of = { company: demo._id, inbox: demo.inbox }): Promise<string[]> {
  const ids = await insertConversations(platform, { ...of, name: 'Maria' }, count);
  await database.sql(
    'update conversations set team_id = $2, last_inbound_at = now(), waiting_since = now() where _id = any($1)',
    [ids, team],
  );
  return ids;
}
/** Returns when the turns of the team are due. */
async function readTurns(team: string): Promise<number[]> {
  const rows = await database.sql<{ due_at: Date }>('select due_at from team_turns where team_id = $1', [team]);
  return rows.map(({ due_at }) => due_at.getTime());
}
/** Returns how many of the conversations each user owns. */
async function countByOwner(ids: string[]): Promise<Map<string | null, number>> {
  const rows = await database.sql<{ owner: string | null; count: number }>(
    'select owner_id as owner, count(*)::int as count from conversations where _id = any($1) group by owner_id',
    [ids],
  );
  return new Map(rows.map(({ owner, count }) => [owner, count]));
}

/** Returns the conversations of which each user has notifications of a kind, the last raised first. */
const readTold = (users: Json[], kind: string): Promise<string[][]> =>
  Promise.all(
    users.map(async ({ token: key }) =>
      (await call(200, 'GET', `/v1/notifications?kind=${kind}`, { key })).body.result.map(
        ({ conversation }: Json) => conversation,
      ),
    ),
  );
const told = (...users: Json[]): Promise<string[][]> => readTold(users, 'TEAM_ASSIGNED');

test('1,000 conversations that three processes give to seven members differ by one at most, and the away, the viewer and the stranger get none', async () => {
  const others = [createDistribution(kit), createDistribution(kit)];
  const again = setInterval(() => {
    for (const { begin } of others) begin(true);
  }, 5);
  after(() => clearInterval(again));
  const members = await Promise.all(Array.from({ length: 7 }, () => addUser()));
  const [away, viewer] = [await addUser(), await addUser('VIEWER')];
  await change(`/v1/users/${away._id}`, { availability: 'AWAY' });
  const all: string[] = [];
  for (const distribution of ['ROUND_ROBIN', 'LEAST_LOADED']) {
    const team = await addTeam([...members, away, viewer], { distribution });
    all.push(...(await bring(team, 500)));
    await waitUntil('all to have an owner', async () => (await countByOwner(all)).get(null) === undefined);
    const counts = [...(await countByOwner(all)).values()];
    // Neither 500 nor 1,000 can be divided by seven, and a portion of 100 cannot either.
    assert.equal(counts.length, members.length);
    assert.equal(Math.max(...counts) - Math.min(...counts), 1);
  }
  clearInterval(again);
  await Promise.all(others.map(({ stop }) => stop()));
});

test('no member gets more than the capacity, also by two teams at once, and the next is given when one is closed', async () => {
  const members = [await addUser(), await addUser()];
  const rule = { distribution: 'ROUND_ROBIN', capacity: 3 };
  const teams = [await addTeam(members, rule), await addTeam(members, rule)];
  const ids = (await Promise.all(teams.map((team) => bring(team, 10)))).flat();
  await waitUntil('six to be given', async () => (await countByOwner(ids)).get(null) === 14);
  await settle();
  const [ana] = members;
  const counts = await countByOwner(ids);
  assert.deepEqual(
    members.map(({ _id }) => counts.get(_id)),
    [3, 3],
  );
  const owned = await database.sql<{ _id: string }>('select _id from conversations where owner_id = $1', [
    ana?.['_id'],
  ]);
  await move(owned[0]?._id ?? '', { status: 'CLOSED' });
  await waitUntil('the next to be given', async () => (await countByOwner(ids)).get(null) === 13);
  await settle();
  const [row] = await database.sql<{ open: number }>(
    `select count(*)::int as open from conversations where owner_id = $1 and status = 'OPEN'`,
    [ana?.['_id']],
  );
  assert.equal(row?.open, 3);
});

test('members are notified once of each conversation that waits because no member has capacity', async () => {
  const [ana, bia] = [await addUser(), await addUser()];
  const team = await addTeam([ana, bia], { distribution: 'ROUND_ROBIN', capacity: 1 });
  const ids = await bring(team, 3);
  await waitUntil('two to be given', async () => (await countByOwner(ids)).get(null) === 1);
  const [waiting = ''] = (
    await database.sql<{ _id: string }>('select _id from conversations where _id = any($1) and owner_id is null', [ids])
  ).map(({ _id }) => _id);
  await waitUntil('both to be notified', async () => (await told(ana, bia)).flat().length === 2);
  assert.deepEqual(await told(ana, bia), [[waiting], [waiting]]);
  await call(200, 'POST', '/v1/notifications/read', { key: ana.token, body: { until: new Date().toISOString() } });
  // A further conversation makes the team look for a free member again.
  const [more = ''] = await bring(team, 1);
  await waitUntil('both to be notified of the next', async () => (await told(ana, bia)).flat().length === 4);
  await settle();
  assert.deepEqual(await told(ana, bia), [
    [more, waiting],
    [more, waiting],
  ]);
});

test('members are notified again of a waiting conversation that waits again after a reply', async () => {
  const ana = await addUser();
  const team = await addTeam([ana], { distribution: 'ROUND_ROBIN', capacity: 1 });
  await move(await write(), { owner: ana._id });
  const [waiting = ''] = await bring(team, 1);
  /** Makes the team look for a free member again, and marks what it tells as read. */
  const look = async (): Promise<void> => {
    await move(waiting, { team: null });
    await move(waiting, { team });
    await settle();
    await call(200, 'POST', '/v1/notifications/read', { key: ana.token, body: { until: new Date().toISOString() } });
  };
  await look();
  await look();
  assert.deepEqual(await told(ana), [[waiting]]);
  await database.sql('update conversations set waiting_since = now() where _id = $1', [waiting]);
  await look();
  assert.deepEqual(await told(ana), [[waiting, waiting]]);
});

test('a conversation in an inbox that no free member sees notifies the members who see it, or those who follow new conversations', async () => {
  const [free, away, watcher] = [await addUser(), await addUser(), await addUser()];
  await change(`/v1/users/${away._id}`, { availability: 'AWAY' });
  const team = await addTeam([], {});
  const hide = async (...users: Json[]): Promise<string> => {
    const inbox = await insertInbox(platform, demo._id);
    const members = { users: users.map(({ _id }) => _id), teams: [] };
    await database.sql('update inboxes set members = $2 where _id = $1', [inbox, JSON.stringify(members)]);
    return inbox;
  };
  const [seen = ''] = await bring(team, 1, { company: demo._id, inbox: await hide(away, watcher) });
  const [unseen = ''] = await bring(team, 1, { company: demo._id, inbox: await hide(watcher) });
  // The free member gets this conversation when the lock on it is released.
  const [held = ''] = await bring(team, 1);
  const letGo = await lockRows(platform, 'conversations', [held]);
  const UNASSIGNED_NEW = { console: true, browser: false };
  await call(200, 'PUT', '/v1/notification-settings', { key: watcher.token, body: { UNASSIGNED_NEW } });
  await change(`/v1/teams/${team}`, { distribution: 'ROUND_ROBIN', members: [free._id, away._id] });
  await waitUntil('the members to be notified', async () => (await told(away)).flat().length > 0);
  await letGo();
  await awaitOwner(held, free._id);
  assert.deepEqual(await told(free, away), [[], [seen]]);
  assert.deepEqual(await readTold([free, watcher], 'UNASSIGNED_NEW'), [[], [unseen]]);
  await database.sql('update inboxes set members = null');
});

test('a conversation waits for a full member until the contact of another one is erased', async () => {
  const ana = await addUser();
  const team = await addTeam([ana], { distribution: 'ROUND_ROBIN', capacity: 1 });
  const { conversation, contact } = await writeAsContact(platform);
  await move(conversation._id, { owner: ana._id });
  const [waiting = ''] = await bring(team, 1);
  await settle();
  assert.equal(await readOwner(waiting), null);
  await call(200, 'DELETE', `/v1/contacts/${contact._id}`);
  await awaitOwner(waiting, ana._id);
});

test('the least loaded member is the one with the fewest open conversations of all teams', async () => {
  const [busy, idle] = [await addUser(), await addUser()];
  for (let i = 0; i < 3; i += 1) await move(await write(), { owner: busy._id });
  const team = await addTeam([busy, idle], { distribution: 'LEAST_LOADED' });
  const ids = await bring(team, 3);
  await waitUntil('all to have an owner', async () => (await countByOwner(ids)).get(idle._id) === 3);
});

test('a conversation is given to a member with its event, its history and a notification in the same commit', async () => {
  const ana = await addUser();
  const team = await addTeam([ana], { distribution: 'ROUND_ROBIN' });
  const conversation = await write();
  await move(conversation, { team });
  await awaitOwner(conversation, ana._id);
  const { body: record } = await call(200, 'GET', `/v1/conversations/${conversation}`);
  const [event] = (await readEvents(platform, conversation)).slice(-1);
  assert.deepEqual(event, { event: 'CONVERSATION_UPDATED', data: record });
  const [entry] = (await call(200, 'GET', `/v1/conversations/${conversation}/history`)).body.result;
  assert.deepEqual([entry.actor, entry.changes[0].field, entry.changes[0].to], [null, 'owner', ana._id]);
  const { result } = (await call(200, 'GET', '/v1/notifications', { key: ana.token })).body;
  assert.ok(result.some((each: Json) => each.kind === 'ASSIGNED' && each.conversation === conversation));
});

test('the first message of a contact in an inbox with a default team is given to a member', async () => {
  const ana = await addUser();
  const team = await addTeam([ana], { distribution: 'ROUND_ROBIN' });
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_team: team } });
  await awaitOwner(await write(), ana._id);
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_team: null } });
});

test('a conversation waits while its team has nobody, and is given when a member comes, comes back or leaves another', async () => {
  const [ana, bia] = [await addUser(), await addUser()];
  const team = await addTeam([], { distribution: 'ROUND_ROBIN' });
  const [conversation = ''] = await bring(team, 1);
  await settle();
  assert.equal(await readOwner(conversation), null);
  await change('/v1/auth/me', { availability: 'AWAY' }, ana.token);
  await change(`/v1/teams/${team}`, { members: [ana._id] });
  await settle();
  assert.equal(await readOwner(conversation), null);
  await change('/v1/auth/me', { availability: 'ONLINE' }, ana.token);
  await awaitOwner(conversation, ana._id);
  await change(`/v1/teams/${team}`, { members: [ana._id, bia._id] });
  await change(`/v1/users/${ana._id}`, { status: 'INACTIVE' });
  await awaitOwner(conversation, bia._id);
});

test('what an agent answers, what has an owner and what no contact has written is given to nobody', async () => {
  const ana = await addUser();
  const owner = await addUser();
  const team = await addTeam([ana], { distribution: 'ROUND_ROBIN' });
  const owned = await write();
  await move(owned, { team, owner: owner._id });
  const body = { inbox: demo.inbox, phone_number: `+${makePhoneNumber()}`, team };
  const { body: started } = await call(201, 'POST', '/v1/conversations', { body });
  await sendText(platform, started._id);
  const [answered = ''] = await bring(await addTeam([], {}), 1);
  await database.sql(`update conversations set handled_by = 'AI' where _id = $1`, [answered]);
  await move(answered, { team });
  await settle();
  assert.deepEqual(
    [await readOwner(owned), await readOwner(started._id), await readOwner(answered)],
    [owner._id, null, null],
  );
  await move(answered, { handled_by: 'HUMAN' });
  await awaitOwner(answered, ana._id);
});

test('a team whose conversations cannot be given does not hold up the others, and waits with all its turns until the pause is over', async () => {
  const [ana, bia] = [await addUser(), await addUser()];
  const broken = await addTeam([ana], { distribution: 'ROUND_ROBIN' });
  const sound = await addTeam([bia], { distribution: 'ROUND_ROBIN' });
  await database.sql(`create function refuse_broken() returns trigger language plpgsql as
    $$ begin if new.team_id = '${broken}' and new.owner_id is not null then raise 'refused'; end if; return new; end $$`);
  await database.sql(
    'create trigger refuse_broken before update on conversations for each row execute function refuse_broken()',
  );
  const [stuck = ''] = await bring(broken, 1);
  const [given = ''] = await bring(sound, 1);
  await awaitOwner(given, bia._id);
  await waitUntil('the turn to be put off', async () => (await readTurns(broken)).some((due) => due > Date.now()));
  const before = await readTurns(broken);
  await bring(broken, 1);
  assert.deepEqual(new Set(await readTurns(broken)), new Set(before));
  await database.sql('drop function refuse_broken cascade');
  await database.sql('update team_turns set due_at = now()');
  await awaitOwner(stuck, ana._id);
});

test('a conversation that another change holds is given when the change has ended', async () => {
  const ana = await addUser();
  const team = await addTeam([], { distribution: 'ROUND_ROBIN' });
  const [conversation = ''] = await bring(team, 1);
  await settle();
  const letGo = await lockRows(platform, 'conversations', [conversation]);
  await change(`/v1/teams/${team}`, { members: [ana._id] });
  await waitUntil('the turn to be put off', async () => {
    const rows = await database.sql('select from team_turns where team_id = $1 and due_at > now()', [team]);
    return rows.length > 0;
  });
  await letGo();
  await awaitOwner(conversation, ana._id);
});

test('the teams of one company do not hold up those of another', async () => {
  const [ana, other] = [await addUser(), await platform.createCompany()];
  const bia = await platform.createUser(other._id, 'OPERATOR');
  const many = await Promise.all(Array.from({ length: 30 }, () => addTeam([ana], {})));
  const { body: team } = await call(201, 'POST', '/v1/teams', {
    key: other.key,
    body: { name: 'Support', members: [bia._id] },
  });
  const ids = (await Promise.all(many.map((each) => bring(each, 1)))).flat();
  const [lonely = ''] = await bring(team._id, 1, { company: other._id, inbox: await insertInbox(platform, other._id) });
  // The turns of the many teams come first.
  const begin = (teams: string[]): string =>
    `update teams set distribution = 'ROUND_ROBIN' where _id in (${teams.map((each) => `'${each}'`).join()});`;
  await database.sql(`begin; ${begin(many)} ${begin([team._id])} commit`);
  await waitUntil('all to have an owner', async () => !(await countByOwner([...ids, lonely])).has(null));
  const [row] = await database.sql<{ count: number }>(
    `select count(*)::int as count from conversations where _id = any($1)
      and updated_at < (select updated_at from conversations where _id = $2)`,
    [ids, lonely],
  );
  assert.ok((row?.count ?? 30) <= 2);
});

test('two processes that serve two teams of a company at once give no member more than the capacity', async () => {
  const ana = await addUser();
  const rule = { distribution: 'ROUND_ROBIN', capacity: 1 };
  const [first, second] = [await addTeam([ana], rule), await addTeam([ana], rule)];
  await settle();
  // The first process has given a conversation, and waits with its commit.
  const letGo = await lockRows(platform, 'team_members', [first], 'team_id');
  const ids = await bring(first, 1);
  await waitUntil('the first process to wait', async () => {
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'update team_members%'`;
    return (await database.sql(waiting)).length > 0;
  });
  const other = createDistribution(kit);
  ids.push(...(await bring(second, 1)));
  other.begin(true);
  await waitUntil('the second process to leave the turn', async () => {
    const due = 'select from team_turns where team_id = $1 and due_at <= now()';
    return (await database.sql(due, [second])).length === 0;
  });
  await letGo();
  await settle();
  await other.stop();
  assert.deepEqual((await countByOwner(ids)).get(ana._id), 1);
});

test('the conversation whose contact has waited longest is given first, and one whose contact has not answered a campaign is given to nobody', async () => {
  const ana = await addUser();
  const team = await addTeam([], { distribution: 'ROUND_ROBIN', capacity: 1 });
  const [early = '', late = '', addressed = ''] = (await bring(team, 3)).toSorted().toReversed();
  const wait = (id: string, minutes: number): Promise<unknown> =>
    database.sql('update conversations set waiting_since = now() - make_interval(mins => $2) where _id = $1', [
      id,
      minutes,
    ]);
  await wait(early, 10);
  await wait(late, 5);
  await database.sql('update conversations set awaits_reply = true, waiting_since = null where _id = $1', [addressed]);
  await change(`/v1/teams/${team}`, { members: [ana._id] });
  await awaitOwner(early, ana._id);
  await settle();
  assert.deepEqual([await readOwner(late), await readOwner(addressed)], [null, null]);
  await change(`/v1/teams/${team}`, { capacity: null });
  await awaitOwner(late, ana._id);
  await settle();
  assert.equal(await readOwner(addressed), null);
});

test('a member who snoozes a conversation is given the next one', async () => {
  const ana = await addUser();
  const team = await addTeam([ana], { distribution: 'ROUND_ROBIN', capacity: 1 });
  const [first = '', second = ''] = await bring(team, 2);
  await waitUntil('one to be given', async () => (await countByOwner([first, second])).has(ana._id));
  await settle();
  const given = (await readOwner(first)) === null ? second : first;
  await move(given, { status: 'SNOOZED', snoozed_until: new Date(Date.now() + 3_600_000).toISOString() });
  await waitUntil('the other to be given', async () => (await countByOwner([first, second])).get(ana._id) === 2);
});
