/** Teams, through the API: their members, and the conversations that belong to them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitRun, RUNS } from '../../../test/support/conversation-runs.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { readEvents, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { MAX_TEAMS } from './schemas.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const addUser = (): Promise<Json> => platform.createUser(demo._id, 'OPERATOR');
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
let made = 0;
const addTeam = async (...members: Json[]): Promise<Json> => {
  made += 1;
  const body = { name: `Team ${made}`, members: members.map(({ _id }) => _id) };
  return (await call(201, 'POST', '/v1/teams', { body })).body;
};
const move = async (conversation: string, body: Json): Promise<Json> =>
  (await call(200, 'PATCH', `/v1/conversations/${conversation}`, { body })).body;
const notifications = async ({ token: key }: Json): Promise<unknown[]> =>
  (await call(200, 'GET', '/v1/notifications', { key })).body.result.map(({ kind, conversation, count }: Json) => [
    kind,
    conversation,
    count,
  ]);

test('a team is created once with an Idempotency-Key, read, found, changed and removed, and the audit knows it', async () => {
  const [ana, bia] = [await addUser(), await addUser()];
  const headers = { 'idempotency-key': 'team-1' };
  const members = [bia._id, ana._id].toSorted((a, b) => (a < b ? -1 : 1));
  const body = { name: 'Orders', description: 'Takes orders', members };
  const manual = { distribution: 'MANUAL', capacity: null };
  const { body: team } = await call(201, 'POST', '/v1/teams', { body, headers });
  const { _id, createdAt: _created, updatedAt: _updated, ...rest } = team;
  assert.deepEqual(rest, { company: demo._id, ...body, ...manual });
  assert.deepEqual((await call(201, 'POST', '/v1/teams', { body, headers })).body, team);
  const path = `/v1/teams/${_id}`;
  assert.deepEqual(await read(path), team);
  for (const query of [`member=${ana._id}`, 'search=ORDER'])
    assert.deepEqual((await read(`/v1/teams?${query}`)).result, [team]);
  expectProblem(await call(400, 'GET', `/v1/teams?member=${newId()}`), 'UNKNOWN_REFERENCE', 'member');
  const changed = (await call(200, 'PATCH', path, { body: { members: [ana._id] } })).body;
  assert.deepEqual({ ...changed, updatedAt: '' }, { ...team, members: [ana._id], updatedAt: '' });
  assert.deepEqual((await call(200, 'PATCH', path, { body: { members: [ana._id], name: 'Orders' } })).body, changed);
  assert.deepEqual((await call(200, 'DELETE', path)).body, changed);
  expectProblem(await call(404, 'GET', path), 'NOT_FOUND');
  const audit = (await read(`/v1/audit?resource=${_id}`)).result.map(({ action }: Json) => action);
  assert.deepEqual(audit.toSorted(), ['teams.create', 'teams.delete', 'teams.update', 'teams.update']);
});

test('a name belongs to one team, whatever its case, and is free again at once when the team is removed', async () => {
  const team = await addTeam();
  const body = { name: team.name.toUpperCase() };
  const answers = await Promise.all(Array.from({ length: 3 }, () => call(409, 'POST', '/v1/teams', { body })));
  for (const answer of answers) {
    expectProblem(answer, 'TEAM_EXISTS', 'name');
    assert.equal(answer.body.existing_id, team._id);
  }
  const other = await addTeam();
  expectProblem(await call(409, 'PATCH', `/v1/teams/${other._id}`, { body }), 'TEAM_EXISTS', 'name');
  await call(200, 'DELETE', `/v1/teams/${team._id}`);
  await call(201, 'POST', '/v1/teams', { body });
});

test('only active and invited users of the company can be members', async () => {
  const [ana, gone] = [await addUser(), await addUser()];
  await call(200, 'PATCH', `/v1/users/${gone._id}`, { body: { status: 'INACTIVE' } });
  const stranger = await platform.createUser((await platform.createCompany())._id, 'OPERATOR');
  const team = await addTeam(ana);
  for (const [id, code] of [
    [stranger._id, 'UNKNOWN_REFERENCE'],
    [newId(), 'UNKNOWN_REFERENCE'],
    [gone._id, 'VALIDATION_FAILED'],
  ] as const) {
    const body = { members: [ana._id, id] };
    expectProblem(await call(400, 'PATCH', `/v1/teams/${team._id}`, { body }), code, 'members[1]');
    expectProblem(await call(400, 'POST', '/v1/teams', { body: { name: 'New', ...body } }), code, 'members[1]');
  }
  assert.deepEqual((await read(`/v1/teams/${team._id}`)).members, [ana._id]);
});

test('a user who is deactivated or removed leaves every team', async () => {
  const [ana, bia, stays] = [await addUser(), await addUser(), await addUser()];
  const team = await addTeam(ana, bia, stays);
  await call(200, 'PATCH', `/v1/users/${ana._id}`, { body: { status: 'INACTIVE' } });
  await call(200, 'DELETE', `/v1/users/${bia._id}`);
  assert.deepEqual((await read(`/v1/teams/${team._id}`)).members, [stays._id]);
  await waitUntil('both to be out of the team', async () => {
    const rows = await database.sql('select user_id from team_members where team_id = $1', [team._id]);
    return rows.length === 1;
  });
  await call(200, 'PATCH', `/v1/users/${ana._id}`, { body: { status: 'ACTIVE' } });
  assert.deepEqual((await read(`/v1/teams/${team._id}`)).members, [stays._id]);
});

test('a conversation gets a team, is found and counted by it, and its history and event show it', async () => {
  const [team, other] = [await addTeam(), await addTeam()];
  const { conversation } = await writeAsContact(platform);
  assert.equal(conversation.team, null);
  const moved = await move(conversation._id, { team: team._id });
  assert.equal(moved.team, team._id);
  const [event] = (await readEvents(platform, conversation._id)).slice(-1);
  assert.deepEqual(event, { event: 'CONVERSATION_UPDATED', data: moved });
  await move(conversation._id, { team: other._id });
  const [entry] = (await read(`/v1/conversations/${conversation._id}/history`)).result;
  assert.deepEqual(entry.changes, [
    { field: 'team', from: team._id, to: other._id, from_name: team.name, to_name: other.name },
  ]);
  const found = async (filter: string): Promise<boolean> =>
    (await read(`/v1/conversations?team=${filter}&limit=100`)).result.some(({ _id }: Json) => _id === conversation._id);
  assert.deepEqual([await found(other._id), await found(team._id), await found('none')], [true, false, false]);
  const { teams } = await read('/v1/conversations/counts');
  assert.deepEqual(teams, [{ team: other._id, count: 1, snoozed: 0 }]);
  await move(conversation._id, { team: null });
  assert.deepEqual([await found(other._id), await found('none')], [false, true]);
});

test('a team of another company is an unknown reference wherever one can be named', async () => {
  const { key } = await platform.createCompany();
  const { body: theirs } = await call(201, 'POST', '/v1/teams', { key, body: { name: 'Theirs' } });
  const { conversation } = await writeAsContact(platform);
  const opening = { inbox: demo.inbox, phone_number: `+${makePhoneNumber()}` };
  const run = { ids: [conversation._id], change: { team: theirs._id } };
  for (const [method, path, body, field] of [
    ['PATCH', `/v1/conversations/${conversation._id}`, { team: theirs._id }, 'team'],
    ['POST', '/v1/conversations', { ...opening, team: theirs._id }, 'team'],
    ['POST', RUNS, run, 'change.team'],
    ['PUT', `/v1/inboxes/${demo.inbox}`, { default_team: theirs._id }, 'default_team'],
  ] as const)
    expectProblem(await call(400, method, path, { body }), 'UNKNOWN_REFERENCE', field);
  expectProblem(await call(400, 'GET', `/v1/conversations?team=${theirs._id}`), 'UNKNOWN_REFERENCE', 'team');
  expectProblem(await call(404, 'GET', `/v1/teams/${theirs._id}`), 'NOT_FOUND');
});

test('new conversations of an inbox get its default team, and the one that the request names comes first', async () => {
  const [team, other] = [await addTeam(), await addTeam()];
  const { body: inbox } = await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_team: team._id } });
  assert.equal(inbox.default_team, team._id);
  const { conversation } = await writeAsContact(platform);
  assert.equal(conversation.team, team._id);
  const open = async (given: Json): Promise<Json> => {
    const body = { inbox: demo.inbox, phone_number: `+${makePhoneNumber()}`, ...given };
    return (await call(201, 'POST', '/v1/conversations', { body })).body.team;
  };
  assert.deepEqual(
    [await open({}), await open({ team: other._id }), await open({ team: null })],
    [team._id, other._id, null],
  );
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_team: null } });
});

test('a bulk change gives conversations to a team', async () => {
  const team = await addTeam();
  const ids = await Promise.all([1, 2].map(async () => (await writeAsContact(platform)).conversation._id));
  const { body: run } = await call(201, 'POST', RUNS, { body: { ids, change: { team: team._id } } });
  assert.equal((await awaitRun(platform, run._id)).changed_count, 2);
  assert.equal((await read(`/v1/conversations?team=${team._id}`)).meta.totalCount, 2);
});

test('the conversations and inboxes of a removed team lose it, with an event for each conversation', async () => {
  const [team, other] = [await addTeam(), await addTeam()];
  const { conversation } = await writeAsContact(platform);
  const before = await move(conversation._id, { team: team._id });
  const { conversation: stays } = await writeAsContact(platform);
  await move(stays._id, { team: other._id });
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_team: team._id } });
  const emitted = (await readEvents(platform, conversation._id)).length;
  await call(200, 'DELETE', `/v1/teams/${team._id}`);
  expectProblem(
    await call(400, 'PATCH', `/v1/conversations/${stays._id}`, { body: { team: team._id } }),
    'UNKNOWN_REFERENCE',
    'team',
  );
  await waitUntil('the team to be deleted', async () => {
    return (await database.sql('select from teams where _id = $1', [team._id])).length === 0;
  });
  const after = await read(`/v1/conversations/${conversation._id}`);
  assert.deepEqual({ ...after, updatedAt: '' }, { ...before, team: null, updatedAt: '' });
  const events = (await readEvents(platform, conversation._id)).slice(emitted);
  assert.deepEqual(events, [{ event: 'CONVERSATION_UPDATED', data: after }]);
  assert.equal((await read(`/v1/inboxes/${demo.inbox}`)).default_team, null);
  assert.equal((await read(`/v1/conversations/${stays._id}`)).team, other._id);
});

test('the members of a team are notified of conversations that come to it without an owner, and others are not', async () => {
  const [ana, bia, carla] = [await addUser(), await addUser(), await addUser()];
  await call(200, 'PUT', '/v1/notification-settings', {
    key: bia.token,
    body: { TEAM_ASSIGNED: { console: false, browser: false } },
  });
  const team = await addTeam(ana, bia);
  const { conversation } = await writeAsContact(platform);
  await move(conversation._id, { team: team._id });
  assert.deepEqual(await notifications(ana), [['TEAM_ASSIGNED', conversation._id, 1]]);
  await move(conversation._id, { tags: ['new'] });
  const { conversation: owned } = await writeAsContact(platform);
  await move(owned._id, { team: team._id, owner: carla._id });
  assert.deepEqual(await notifications(ana), [['TEAM_ASSIGNED', conversation._id, 1]]);
  await move(conversation._id, { status: 'CLOSED' });
  await move(conversation._id, { status: 'OPEN' });
  assert.deepEqual(await notifications(ana), [['TEAM_ASSIGNED', conversation._id, 1]], 'the same conversation');
  assert.deepEqual(await notifications(bia), []);
  assert.deepEqual(await notifications(carla), [['ASSIGNED', owned._id, 1]]);
});

test('the members of a team are notified when an agent hands over or the owner lets go, and not if the team assigns itself', async () => {
  const [ana, bia] = [await addUser(), await addUser()];
  const [team, assigning] = [await addTeam(ana), await addTeam(bia)];
  await call(200, 'PATCH', `/v1/teams/${assigning._id}`, { body: { distribution: 'ROUND_ROBIN' } });
  const { conversation } = await writeAsContact(platform);
  await move(conversation._id, { team: team._id, owner: bia._id });
  assert.deepEqual(await notifications(ana), []);
  await move(conversation._id, { owner: null });
  assert.deepEqual(await notifications(ana), [['TEAM_ASSIGNED', conversation._id, 1]]);
  const { conversation: answered } = await writeAsContact(platform);
  await database.sql(`update conversations set handled_by = 'AI', team_id = $2 where _id = $1`, [
    answered._id,
    team._id,
  ]);
  await move(answered._id, { handled_by: 'HUMAN' });
  assert.deepEqual(await notifications(ana), [['TEAM_ASSIGNED', null, 2]]);
  const { conversation: assigned } = await writeAsContact(platform);
  await move(assigned._id, { team: assigning._id });
  await waitUntil('its owner', async () => (await read(`/v1/conversations/${assigned._id}`)).owner === bia._id);
  assert.ok(!(await notifications(bia)).some((each) => (each as unknown[])[0] === 'TEAM_ASSIGNED'));
});

test('the first message of a contact in an inbox with a default team notifies the members, and not those who watch the queue', async () => {
  const [ana, watcher] = [await addUser(), await addUser()];
  await call(200, 'PUT', '/v1/notification-settings', {
    key: watcher.token,
    body: { UNASSIGNED_NEW: { console: true, browser: false } },
  });
  const team = await addTeam(ana);
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_team: team._id } });
  const { conversation } = await writeAsContact(platform);
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_team: null } });
  assert.deepEqual(await notifications(ana), [['TEAM_ASSIGNED', conversation._id, 1]]);
  assert.deepEqual(await notifications(watcher), []);
});

test(`a company has at most ${MAX_TEAMS} teams`, async () => {
  const company = await platform.createCompany();
  await database.sql(
    `insert into teams (company_id, _id, name) select $1, lpad(to_hex(n), 24, '0'), 'x' || n from generate_series(1, $2) n`,
    [company._id, MAX_TEAMS],
  );
  const answer = await call(400, 'POST', '/v1/teams', { key: company.key, body: { name: 'One more' } });
  assert.equal(answer.body.errors[0].code, 'LIMIT_REACHED');
});

test('callers without a token or the scope are refused, and operators only read teams', async () => {
  await checkRefusals(platform, { method: 'GET', path: '/v1/teams', scope: 'users:read' });
  await checkRefusals(platform, { method: 'POST', path: '/v1/teams', scope: 'users:create', body: { name: 'x' } });
  const { token: key } = await addUser();
  await call(200, 'GET', '/v1/teams', { key });
  expectProblem(await call(403, 'POST', '/v1/teams', { key, body: { name: 'x' } }), 'FORBIDDEN', 'authorization');
});
