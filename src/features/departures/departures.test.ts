/** Tests of removed users: a removed user has no access at once, and a job then removes the user from every record that named the user. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createPerson,
  forgetPassword,
  freshEmail,
  logIn,
  resetPassword,
  readMailToken,
  waitForMail,
} from '../../../test/support/people.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { lockRows } from '../../../test/support/rows.ts';
import { importSheet } from '../../../test/support/sheets.ts';
import { readEvents, writeAsContact, silenceNetwork } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import type { Kit } from '../../kit.ts';
import { newId } from '../../platform/values/ids.ts';
import { removeUserReferences } from './release.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const { kit } = platform.running;

const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
const make = async (path: string, body: Json): Promise<Json> => (await call(201, 'POST', path, { body })).body;
const remove = (status: number, id: string) => call(status, 'DELETE', `/v1/users/${id}`);
const addUser = async (): Promise<string> => (await platform.createUser(demo._id, 'OPERATOR'))._id;
const release = (user: string): Promise<void> => removeUserReferences(kit, { company: demo._id, user });
const isStored = async (user: string): Promise<boolean> =>
  (await database.sql('select 1 from users where _id = $1', [user])).length > 0;
const awaitDeletion = (user: string): Promise<unknown> =>
  waitUntil('the user to be out of all records', async () => !(await isStored(user)));

/** Creates conversations and contacts that the user owns. */
async function createConversations(user: string, count: number): Promise<string[]> {
  const rows = await database.sql<{ _id: string }>(
    `with c as (
      insert into contacts (company_id, _id, name, source) select $1, new_id(), 'x', 'API' from generate_series(1, $4::int) returning _id
    ) insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by, owner_id, attendant_id, updated_at)
    select $1, new_id(), c._id, $2, 'WAP_AUTO_CLOSER', 'NONE', $3, $3, now() - interval '1 hour' from c returning _id`,
    [demo._id, demo.inbox, user, count],
  );
  return rows.map((row) => row._id);
}

/** Removes a user while an open transaction locks a record that names the user, so that the removal job cannot finish. */
async function removeWhileReferenced(user: string): Promise<() => Promise<void>> {
  const business = await make('/v1/businesses', { name: 'Held', owner: user });
  const letGo = await lockRows(platform, 'businesses', [business._id]);
  await remove(200, user);
  return async () => {
    // The removal job fails instead of letting the foreign key clear the references, which would emit no event.
    await assert.rejects(release(user), /still name/);
    assert.ok(await isStored(user), 'still on the way out');
    await letGo();
    await release(user);
    assert.ok(!(await isStored(user)));
  };
}

test('the removal of a user with 4,000 conversations is answered at once, emits one event per conversation, and deletes the user’s row last', async () => {
  const user = await addUser();
  const ids = await createConversations(user, 4_000);
  const before = await read(`/v1/users/${user}`);
  const letGo = await lockRows(platform, 'conversations', ids);
  assert.deepEqual(
    (await remove(200, user)).body,
    { ...before, api_keys: [] },
    'while somebody writes into each of them',
  );
  await letGo();
  await awaitDeletion(user);
  const [counts] = await database.sql(
    `select (select count(*)::int from conversations
        where _id = any($1) and owner_id is null and attendant_id is null and updated_at > now() - interval '10 minutes') as released,
      (select count(*)::int from deliveries where resource_id = any($1)) as emitted,
      (select count(distinct resource_id)::int from deliveries where resource_id = any($1) and event = 'CONVERSATION_UPDATED') as which`,
    [ids],
  );
  assert.deepEqual(counts, { released: ids.length, emitted: ids.length, which: ids.length });
});

test('after its removal job no record names a removed user; conversations and contacts have events that show them as GET does', async () => {
  const [user, other] = [await addUser(), await addUser()];
  const [mine = '', attended = '', stranger = ''] = await createConversations(user, 3);
  await call(200, 'PATCH', `/v1/conversations/${attended}`, { body: { owner: other } });
  await call(200, 'PATCH', `/v1/conversations/${stranger}`, { body: { owner: other, attendant: null } });
  const contact = await make('/v1/contacts', { name: 'Maria', owner: user });
  const business = await make('/v1/businesses', { name: 'Padaria', owner: user });
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_owner: user } });
  const records = async (): Promise<Json[]> =>
    Promise.all(
      [
        ...[mine, attended, stranger].map((id) => `conversations/${id}`),
        `contacts/${contact._id}`,
        `businesses/${business._id}`,
        `inboxes/${demo.inbox}`,
      ].map((path) => read(`/v1/${path}`)),
    );
  const before = await records();
  const emitted = new Map(
    await Promise.all(before.map(async ({ _id }) => [_id, await readEvents(platform, _id)] as const)),
  );
  await remove(200, user);
  await awaitDeletion(user);
  const nobody = { owner: null, attendant: null };
  const expected = [nobody, { attendant: null }, {}, { owner: null }, { owner: null }, { default_owner: null }];
  const expectedEvents = ['CONVERSATION_UPDATED', 'CONVERSATION_UPDATED', null, 'CONTACT_UPDATED', null, null];
  for (const [index, record] of (await records()).entries()) {
    const [old, change = {}] = [before[index], expected[index]];
    assert.deepEqual({ ...record, updatedAt: '' }, { ...old, ...change, updatedAt: '' });
    assert.equal(record.updatedAt > old.updatedAt, Object.keys(change).length > 0);
    const event = expectedEvents[index];
    const since = (await readEvents(platform, record._id)).slice(emitted.get(record._id)?.length);
    assert.deepEqual(since, event ? [{ event, data: record }] : []);
  }
});

test('a deactivated user is removed as owner, attendant and default owner everywhere, with events, and the user’s record stays', async () => {
  const user = await addUser();
  const [conversation = ''] = await createConversations(user, 1);
  const contact = await make('/v1/contacts', { name: 'Maria', owner: user });
  const business = await make('/v1/businesses', { name: 'Padaria', owner: user });
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_owner: user } });
  const paths = [`conversations/${conversation}`, `contacts/${contact._id}`];
  const before = await Promise.all(
    paths.map(async (path) => (await readEvents(platform, path.split('/')[1] ?? '')).length),
  );
  const { body } = await call(200, 'PATCH', `/v1/users/${user}`, { body: { status: 'INACTIVE' } });
  assert.equal(body.status, 'INACTIVE');
  await waitUntil('the job to have come to the last kind of record', async () => {
    return (await read(`/v1/businesses/${business._id}`)).owner === null;
  });
  for (const [index, event] of ['CONVERSATION_UPDATED', 'CONTACT_UPDATED'].entries()) {
    const data = await read(`/v1/${paths[index]}`);
    assert.deepEqual([data.owner, data.attendant ?? null], [null, null]);
    assert.deepEqual((await readEvents(platform, data._id)).slice(before[index]), [{ event, data }]);
  }
  assert.equal((await read(`/v1/inboxes/${demo.inbox}`)).default_owner, null);
  assert.equal((await read(`/v1/users/${user}`)).status, 'INACTIVE');
});

test('a deactivated user who is active again before the job runs stays the owner of all their records', async () => {
  const user = await addUser();
  const ids = await createConversations(user, 2);
  const letGo = await lockRows(platform, 'conversations', ids);
  await call(200, 'PATCH', `/v1/users/${user}`, { body: { status: 'INACTIVE' } });
  await awaitFailedAttempt(user);
  await letGo();
  await call(200, 'PATCH', `/v1/users/${user}`, { body: { status: 'ACTIVE' } });
  await release(user);
  for (const id of ids) assert.equal((await read(`/v1/conversations/${id}`)).owner, user);
});

test('new references to an INACTIVE user are refused, and those to an INVITED user are accepted', async () => {
  const { _id: inactive } = await make('/v1/users', { name: 'Gone', email: freshEmail('gone'), role: 'OPERATOR' });
  await call(200, 'PATCH', `/v1/users/${inactive}`, { body: { status: 'INACTIVE' } });
  const { _id: invited } = await make('/v1/users', { name: 'Next', email: freshEmail('next'), role: 'OPERATOR' });
  const [conversation = ''] = await createConversations(await addUser(), 1);
  const contact = await make('/v1/contacts', { name: 'Ana' });
  const business = await make('/v1/businesses', { name: 'Oficina' });
  for (const [method, path, field, body] of [
    ['PUT', `/v1/inboxes/${demo.inbox}`, 'default_owner', {}],
    ['POST', '/v1/inboxes', 'default_owner', { channel: 'WEB_V2', name: 'Door' }],
    ['PATCH', `/v1/contacts/${contact._id}`, 'owner', {}],
    ['POST', '/v1/contacts', 'owner', { name: 'Bia' }],
    ['PATCH', `/v1/businesses/${business._id}`, 'owner', {}],
    ['POST', '/v1/businesses', 'owner', { name: 'Loja' }],
    ['PATCH', `/v1/conversations/${conversation}`, 'owner', {}],
    ['PATCH', `/v1/conversations/${conversation}`, 'attendant', {}],
    ['POST', '/v1/conversations', 'owner', { inbox: demo.inbox, contact: contact._id }],
  ] as const) {
    const refused = await call(400, method, path, { body: { ...body, [field]: inactive } });
    expectProblem(refused, 'VALIDATION_FAILED', field);
    const given = await call(method === 'POST' ? 201 : 200, method, path, { body: { ...body, [field]: invited } });
    assert.equal(given.body[field], invited);
  }
  const file = { name: 'people.csv', data: `name,email,owner\nCaio,${newId()}@example.test,${inactive}` };
  const imported = await importSheet(platform, '/v1/contacts/import', { file });
  assert.deepEqual([imported.failed_count, imported.row_errors[0].field], [1, 'owner']);
});

test('a removed user is not shown, has no access and cannot be named again while records still name them', async () => {
  const person = await createPerson(platform, demo._id, 'OPERATOR');
  const user = person._id;
  const [conversation = ''] = await createConversations(await addUser(), 1);
  const contact = await make('/v1/contacts', { name: 'Ana' });
  const business = await make('/v1/businesses', { name: 'Oficina' });
  await forgetPassword(platform, person.email);
  const link = readMailToken(await waitForMail(platform, person.email));
  const finish = await removeWhileReferenced(user);

  await call(404, 'GET', `/v1/users/${user}`);
  await call(404, 'PATCH', `/v1/users/${user}`, { body: { status: 'ACTIVE' } });
  await remove(404, user);
  for (const filter of ['', '&status=INACTIVE', '&role=OPERATOR']) {
    const { result, meta } = await read(`/v1/users?limit=100${filter}`);
    assert.ok(result.every(({ _id }: Json) => _id !== user));
    assert.equal(meta.totalCount, result.length);
  }
  await call(401, 'GET', '/v1/auth/me', { key: person.token });
  await logIn(platform, 401, person.email);
  expectProblem(await resetPassword(platform, 400, link, 'another one entirely'), 'INVALID_RESET_TOKEN');
  await make('/v1/users', { name: 'Next', email: person.email.toUpperCase(), role: 'VIEWER' });

  const door = { channel: 'PARTNER_API', name: 'Door', number: '+5511900000009' };
  const partner_api_config = { base_url: 'https://partner.example', api_key: 'k', instance_name: newId() };
  for (const [method, path, field, body] of [
    ['PUT', `/v1/inboxes/${demo.inbox}`, 'default_owner', {}],
    ['POST', '/v1/inboxes', 'default_owner', { ...door, partner_api_config }],
    ['POST', '/v1/contacts', 'owner', { name: 'Bia' }],
    ['PATCH', `/v1/contacts/${contact._id}`, 'owner', {}],
    ['POST', '/v1/businesses', 'owner', { name: 'Loja' }],
    ['PATCH', `/v1/businesses/${business._id}`, 'owner', {}],
    ['POST', '/v1/conversations', 'owner', { inbox: demo.inbox, contact: contact._id }],
    ['PATCH', `/v1/conversations/${conversation}`, 'owner', {}],
    ['PATCH', `/v1/conversations/${conversation}`, 'attendant', {}],
    ['GET', `/v1/conversations?owner=${user}`, 'owner'],
    ['GET', `/v1/conversations?attendant=${user}`, 'attendant'],
  ] as const) {
    const options = body ? { body: { ...body, [field]: user } } : {};
    expectProblem(await call(400, method, path, options), 'UNKNOWN_REFERENCE', field);
  }
  const file = { name: 'people.csv', data: `name,email,owner\nCaio,${newId()}@example.test,${user}` };
  const imported = await importSheet(platform, '/v1/contacts/import', { file });
  assert.deepEqual([imported.failed_count, imported.row_errors[0].field], [1, 'owner']);
  await finish();
});

test('an owner who is being removed does not count as another owner of the company', async () => {
  const { _id: second } = await platform.createUser(demo._id, 'OWNER');
  const finish = await removeWhileReferenced(second);
  const { result } = await read('/v1/users?role=OWNER&status=ACTIVE');
  assert.equal(result.length, 1);
  expectProblem(await remove(409, result[0]._id), 'LAST_OWNER');
  await finish();
});

test('a message for an inbox whose default owner is being removed is stored, and its conversation ends without owner', async () => {
  const user = await addUser();
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_owner: user } });
  const letGo = await lockRows(platform, 'inboxes', [demo.inbox]);
  await remove(200, user);
  const { conversation } = await writeAsContact(platform);
  assert.equal(conversation.owner, user);
  await letGo();
  await release(user);
  assert.equal((await read(`/v1/conversations/${conversation._id}`)).owner, null);
  const emitted = await readEvents(platform, conversation._id);
  assert.deepEqual(
    emitted.filter(({ event }) => event.startsWith('CONVERSATION')).map(({ event, data }) => [event, data.owner]),
    [
      ['CONVERSATION_CREATED', user],
      ['CONVERSATION_UPDATED', null],
    ],
  );
});

test('a contact of a user who is being removed can be merged at the same time, and ends without owner', async () => {
  const user = await addUser();
  const [target, source] = [
    await make('/v1/contacts', { name: 'Ana' }),
    await make('/v1/contacts', { name: 'Ana', owner: user }),
  ];
  const letGo = await lockRows(platform, 'contacts', [source._id]);
  await remove(200, user);
  await awaitFailedAttempt(user);
  await letGo();
  const merged = await make(`/v1/contacts/${target._id}/merge`, { contact: source._id });
  assert.equal(merged.owner, user);
  await release(user);
  assert.equal((await read(`/v1/contacts/${target._id}`)).owner, null);
});

test('a removal job whose worker dies continues where it stopped: no event is sent twice, and none is missing', async () => {
  const user = await addUser();
  const ids = await createConversations(user, 1_000);
  // The first attempt of the queue finds all conversations locked.
  const letGo = await lockRows(platform, 'conversations', ids);
  await remove(200, user);
  await awaitFailedAttempt(user);
  await letGo();
  const { tenantTx } = kit.database;
  for (const when of ['before the commit', 'after it']) {
    let transactions = 0;
    const dying: Kit['database']['tenantTx'] = async (company, work) => {
      transactions += 1;
      // Inboxes, their members, campaigns and one portion of conversations come before.
      const isLast = transactions === 5;
      const result = await tenantTx(company, async (tx) => {
        const done = await work(tx);
        if (isLast && when === 'before the commit') throw new Error('died');
        return done;
      });
      if (isLast) throw new Error('died');
      return result;
    };
    const died = removeUserReferences(
      { ...kit, database: { ...kit.database, tenantTx: dying } },
      { company: demo._id, user },
    );
    await assert.rejects(died, /died/);
    const [row] = await database.sql<{ left: number }>(
      'select count(*)::int as left from conversations where owner_id = $1',
      [user],
    );
    assert.ok(row && row.left > 0 && row.left < ids.length, `${row?.left} are left`);
    assert.ok(await isStored(user));
  }
  await release(user);
  await release(user);
  assert.ok(!(await isStored(user)));
  const emitted = await database.sql<{ count: number }>(
    'select count(*)::int from deliveries where resource_id = any($1) group by resource_id',
    [ids],
  );
  assert.deepEqual([emitted.length, new Set(emitted.map(({ count }) => count))], [ids.length, new Set([1])]);
});

test('a reference to a user that is written at the moment of the removal is refused, or cleared with all other references', async () => {
  for (let round = 0; round < 5; round += 1) {
    const user = await addUser();
    const ids = await createConversations(await addUser(), 8);
    const writes = ids.map(async (id) => {
      const answer = await fetch(`${platform.url}/v1/conversations/${id}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ attendant: user }),
      });
      assert.ok([200, 400].includes(answer.status), `${answer.status}`);
      return [id, answer.status] as const;
    });
    const [statuses] = await Promise.all([Promise.all(writes), remove(200, user)]);
    await awaitDeletion(user);
    for (const [id, status] of statuses) {
      assert.notEqual((await read(`/v1/conversations/${id}`)).attendant, user);
      const events = (await readEvents(platform, id)).map(({ data }) => data.attendant);
      assert.deepEqual(events, status === 200 ? [user, null] : []);
    }
  }
});

/** Waits until the first attempt of the job has failed, and postpones its next attempt until after the test. */
const awaitFailedAttempt = (user: string): Promise<unknown> =>
  waitUntil('the first try to give up', async () => {
    const resting = await database.sql(
      `update pgboss.job set start_after = now() + interval '1 hour'
        where name = 'users.release' and data ->> 'user' = $1 and state = 'retry' returning 1`,
      [user],
    );
    return resting.length > 0;
  });
