import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertConversations, insertInbox } from '../../../test/support/conversation-runs.ts';
import { openLive } from '../../../test/support/live.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { MAX_VIEWS, MOST_COUNTED } from './schemas.ts';

const platform = await startPlatform();
const { call, database } = platform;
const company = await platform.createCompany();
const { key } = company;
const inbox = await insertInbox(platform, company._id);
const PATH = '/v1/views';
const [admin, operator, viewer] = [
  await platform.createUser(company._id, 'ADMIN'),
  await platform.createUser(company._id, 'OPERATOR'),
  await platform.createUser(company._id, 'VIEWER'),
];
let made = 0;
const make = (given: Json = {}): Json => {
  made += 1;
  return { name: `View ${made}`, filters: { inbox }, ...given };
};
const create = async (token: string, given: Json = {}): Promise<Json> =>
  (await call(201, 'POST', PATH, { key: token, body: make(given) })).body;
const listIds = async (token: string): Promise<string[]> =>
  (await call(200, 'GET', `${PATH}?limit=100`, { key: token })).body.result.map(({ _id }: Json) => _id);
const countOf = async (token: string, view: string): Promise<number | null | undefined> =>
  (await call(200, 'GET', `${PATH}/counts`, { key: token })).body.views.find((each: Json) => each.view === view)?.count;

test('a view is saved once with an Idempotency-Key, read, changed and removed, and the audit knows it', async () => {
  const headers = { 'idempotency-key': 'view-1' };
  const body = make({ filters: { status: 'PENDING', owner: 'me', tag: 'vip' }, sort: 'waiting_since' });
  const { body: view } = await call(201, 'POST', PATH, { key: operator.token, body, headers });
  const { _id, createdAt, updatedAt, ...fields } = view;
  const usual = { company: company._id, owner: operator._id, is_shared: false, position: 0 };
  assert.deepEqual(fields, { ...usual, ...body });
  assert.deepEqual((await call(201, 'POST', PATH, { key: operator.token, body, headers })).body, view);
  const path = `${PATH}/${_id}`;
  const asked = { key: operator.token };
  assert.deepEqual((await call(200, 'GET', path, asked)).body, view);
  const change = { body: { filters: { open: true }, position: 3 } };
  const changed = (await call(200, 'PATCH', path, { ...asked, ...change })).body;
  assert.deepEqual({ ...changed, updatedAt }, { ...view, ...change.body });
  assert.deepEqual((await call(200, 'PATCH', path, { ...asked, ...change })).body, changed);
  assert.deepEqual((await call(200, 'DELETE', path, asked)).body, changed);
  expectProblem(await call(404, 'GET', path, asked), 'NOT_FOUND');
  assert.ok(createdAt <= changed.updatedAt);
  const audit = (await call(200, 'GET', `/v1/audit?resource=${_id}`, { key })).body.result;
  assert.deepEqual(
    audit.map(({ action }: Json) => action),
    ['views.delete', 'views.update', 'views.update', 'views.create'],
  );
});

test("another user's private view is answered like an unknown one, also to keys and admins, and is not counted for them", async () => {
  const own = await create(viewer.token);
  assert.deepEqual(await listIds(viewer.token), [own._id]);
  assert.equal(await countOf(viewer.token, own._id), 0);
  for (const other of [admin.token, operator.token, key]) {
    assert.ok(!(await listIds(other)).includes(own._id));
    assert.equal(await countOf(other, own._id), undefined);
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as [string, Json?][]) {
      const asked = { key: other, ...(body && { body }) };
      const [seen, unknown] = [own._id, newId()].map((id) => call(404, method, `${PATH}/${id}`, asked));
      const { request_id: _a, ...answer } = (await seen)!.body;
      const { request_id: _b, ...expected } = (await unknown)!.body;
      assert.deepEqual(JSON.parse(JSON.stringify(answer)), expected);
    }
  }
  await call(200, 'DELETE', `${PATH}/${own._id}`, { key: viewer.token });
});

test('a shared view is seen by everyone, shared by those who may change conversations, and changed by its owner and by admins', async () => {
  const refused = { key: viewer.token, body: make({ is_shared: true }) };
  expectProblem(await call(403, 'POST', PATH, refused), 'FORBIDDEN', 'authorization');
  expectProblem(await call(400, 'POST', PATH, { key, body: make() }), 'VALIDATION_FAILED', 'is_shared');
  const view = await create(operator.token);
  const path = `${PATH}/${view._id}`;
  await call(200, 'PATCH', path, { key: operator.token, body: { is_shared: true } });
  for (const other of [viewer.token, admin.token, key]) assert.ok((await listIds(other)).includes(view._id));
  const second = await platform.createUser(company._id, 'OPERATOR');
  for (const token of [viewer.token, second.token]) {
    expectProblem(await call(403, 'PATCH', path, { key: token, body: { name: 'x' } }), 'FORBIDDEN', 'authorization');
    expectProblem(await call(403, 'DELETE', path, { key: token }), 'FORBIDDEN', 'authorization');
  }
  await call(200, 'PATCH', path, { key: admin.token, body: { name: 'Ours' } });
  const hide = { body: { is_shared: false } };
  expectProblem(await call(400, 'PATCH', path, { key: admin.token, ...hide }), 'VALIDATION_FAILED', 'is_shared');
  await call(200, 'PATCH', path, { key: operator.token, ...hide });
  expectProblem(await call(404, 'GET', path, { key: admin.token }), 'NOT_FOUND');
  await call(200, 'DELETE', path, { key: operator.token });
  const unowned = await create(key, { is_shared: true });
  const own = { key, ...hide };
  expectProblem(await call(400, 'PATCH', `${PATH}/${unowned._id}`, own), 'VALIDATION_FAILED', 'is_shared');
});

test('a key changes the shared views that it made, and no others without the right to do so', async () => {
  const scopes = ['conversations:read', 'conversations:update'];
  const [own, other] = [await platform.createKey(company._id, scopes), await platform.createKey(company._id, scopes)];
  const view = await create(own.token, { is_shared: true });
  const path = `${PATH}/${view['_id']}`;
  for (const method of ['PATCH', 'DELETE']) {
    const asked = { key: other.token, ...(method === 'PATCH' && { body: { position: 7 } }) };
    expectProblem(await call(403, method, path, asked), 'FORBIDDEN', 'authorization');
  }
  const { body: changed } = await call(200, 'PATCH', path, { key: own.token, body: { position: 7 } });
  assert.equal(changed.position, 7);
  await call(200, 'DELETE', path, { key: own.token });
});

test("a name belongs to one shared view of the company and to one private view of each user, whatever the name's case", async () => {
  const { _id, name } = await create(key, { is_shared: true, name: 'Urgent' });
  const body = make({ is_shared: true, name: 'URGENT' });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call(409, 'POST', PATH, { key: admin.token, body })),
  );
  for (const answer of answers) {
    expectProblem(answer, 'VIEW_EXISTS', 'name');
    assert.equal(answer.body.existing_id, _id);
  }
  const own = await create(operator.token, { name });
  await create(admin.token, { name });
  const shared = { key: operator.token, body: { is_shared: true } };
  expectProblem(await call(409, 'PATCH', `${PATH}/${own._id}`, shared), 'VIEW_EXISTS', 'name');
  for (const token of [operator.token, admin.token])
    expectProblem(await call(409, 'POST', PATH, { key: token, body: make({ name }) }), 'VIEW_EXISTS', 'name');
});

test('filters are those of the list, and each record in them must exist in the company', async () => {
  const other = await platform.createCompany();
  const [contact, agent, pipeline] = [newId(), newId(), newId()];
  const foreign = { inbox: await insertInbox(platform, other._id), contact, agent, pipeline };
  const user = (await platform.createUser(other._id, 'ADMIN'))._id;
  for (const [name, id] of Object.entries({ ...foreign, step: newId(), owner: user, attendant: user })) {
    const body = make({ filters: { [name]: id } });
    expectProblem(await call(400, 'POST', PATH, { key: operator.token, body }), 'UNKNOWN_REFERENCE', `filters.${name}`);
  }
  for (const [path, filters] of [
    ['filters.colour', { colour: 'red' }],
    ['filters.status', { status: 'GONE' }],
    ['filters.owner', { owner: 'you' }],
    ['filters.filters[0].field', { filters: JSON.stringify([{ field: 'gone', operator: 'eq', value: 'x' }]) }],
  ] as const) {
    const body = make({ filters });
    expectProblem(await call(400, 'POST', PATH, { key: operator.token, body }), 'VALIDATION_FAILED', path);
  }
});

test('a shared view with the owner me shows and counts for each user their own conversations', async () => {
  const view = await create(key, { is_shared: true, filters: { owner: 'me' } });
  const ids = await insertConversations(platform, { company: company._id, inbox }, 3);
  for (const [index, owner] of [admin, operator, operator].entries())
    await call(200, 'PATCH', `/v1/conversations/${ids[index]}`, { key, body: { owner: owner._id } });
  for (const [token, expected] of [
    [admin.token, [ids[0]]],
    [operator.token, [ids[1], ids[2]]],
    [viewer.token, []],
  ] as const) {
    const { body } = await call(200, 'GET', '/v1/conversations?owner=me', { key: token });
    assert.deepEqual(body.result.map(({ _id }: Json) => _id).toSorted(), expected.toSorted());
    assert.equal(await countOf(token, view._id), expected.length);
  }
  assert.equal(await countOf(key, view._id), null);
  expectProblem(await call(400, 'GET', '/v1/conversations?owner=me', { key }), 'VALIDATION_FAILED', 'owner');
});

test(`the count of a view is that of its list without closed conversations, and at most ${MOST_COUNTED}`, async () => {
  const own = await platform.createCompany();
  const asked = { company: own._id, inbox: await insertInbox(platform, own._id) };
  const ids = await insertConversations(platform, asked, MOST_COUNTED + 2);
  const share = (given: Json): Promise<Json> => create(own.key, { is_shared: true, filters: {}, ...given });
  const all = await share({});
  const tagged = await share({ filters: { tag: 'vip' } });
  const waiting = await share({ sort: 'waiting_since' });
  const closed = await share({ filters: { status: 'CLOSED' } });
  const found = await share({ filters: { search: 'Ana' } });
  const change = async (id: string, body: Json): Promise<unknown> =>
    call(200, 'PATCH', `/v1/conversations/${id}`, { key: own.key, body });
  for (const id of ids.slice(0, 3)) await change(id, { tags: ['vip'] });
  await change(ids[2] ?? '', { status: 'CLOSED' });
  const { body } = await call(200, 'GET', `${PATH}/counts`, { key: own.key });
  assert.deepEqual(
    body.views.map(({ view, count }: Json) => [view, count]),
    [
      [all._id, MOST_COUNTED],
      [tagged._id, 2],
      [waiting._id, 0],
      [closed._id, null],
      [found._id, null],
    ],
  );
});

test('a view whose filters name a record that was deleted matches nothing, and can be read, renamed and mended', async () => {
  const field = (
    await call(201, 'POST', '/v1/custom-fields', {
      key,
      body: { title: 'Size', slug: 'size', context: 'conversation', type: 'TEXT' },
    })
  ).body;
  const filters = JSON.stringify([{ field: 'size', operator: 'is_empty' }]);
  const view = await create(operator.token, { filters: { inbox, filters } });
  const path = `${PATH}/${view._id}`;
  assert.notEqual(await countOf(operator.token, view._id), 0);
  await call(200, 'DELETE', `/v1/custom-fields/${field._id}`, { key });
  assert.equal(await countOf(operator.token, view._id), 0);
  const renamed = (await call(200, 'PATCH', path, { key: operator.token, body: { name: 'Sizes' } })).body;
  assert.deepEqual([renamed.name, renamed.filters], ['Sizes', view.filters]);
  const stale = { key: operator.token, body: { filters: view.filters } };
  expectProblem(await call(400, 'PATCH', path, stale), 'VALIDATION_FAILED', 'filters.filters[0].field');
  await call(200, 'PATCH', path, { key: operator.token, body: { filters: { inbox } } });
  assert.notEqual(await countOf(operator.token, view._id), 0);
});

test('the private views of a removed user are gone, and the shared ones stay without an owner', async () => {
  const leaving = await platform.createUser(company._id, 'OPERATOR');
  const own = await create(leaving.token);
  const shared = await create(leaving.token, { is_shared: true });
  await call(200, 'DELETE', `/v1/users/${leaving._id}`, { key });
  await waitUntil('the user to be gone', async () => {
    return (await database.sql('select from users where _id = $1', [leaving._id])).length === 0;
  });
  assert.deepEqual(await database.sql('select from views where _id = $1', [own._id]), []);
  const kept = (await call(200, 'GET', `${PATH}/${shared._id}`, { key: viewer.token })).body;
  assert.deepEqual({ ...kept, updatedAt: '' }, { ...shared, owner: null, updatedAt: '' });
});

test('a live stream brings the views that its caller sees, and reports one that was made private or removed', async () => {
  const [mine, others] = [await openLive(platform, { key: operator.token }), await openLive(platform, { key })];
  const view = await create(operator.token);
  await mine.waitFor('view', ({ _id }) => _id === view._id);
  const share = (is_shared: boolean): Promise<unknown> =>
    call(200, 'PATCH', `${PATH}/${view._id}`, { key: operator.token, body: { is_shared } });
  await share(true);
  const seen = await others.waitFor('view', ({ _id }) => _id === view._id);
  assert.equal(seen.is_shared, true);
  await share(false);
  await others.waitFor('removed', ({ _id, event }) => _id === view._id && event === 'view');
  await mine.waitFor('view', ({ _id, updatedAt }) => _id === view._id && updatedAt > seen.updatedAt);
  await call(200, 'DELETE', `${PATH}/${view._id}`, { key: operator.token });
  const isRemoved = ({ _id }: Json): boolean => _id === view._id;
  await waitUntil('the owner to know of the removal', async () => mine.events.at(-1)?.event === 'removed');
  // A later change of a shared view arrives after everything that the others could have received.
  const last = await create(key, { is_shared: true });
  await others.waitFor('view', ({ _id }) => _id === last._id);
  const received = (events: typeof mine.events): string[] =>
    events.filter(({ data }) => isRemoved(data)).map(({ event }) => event);
  assert.deepEqual(received(others.events), ['view', 'removed']);
  assert.equal(received(mine.events).at(-1), 'removed');
  await Promise.all([mine.close(), others.close()]);
});

test(`a user has at most ${MAX_VIEWS} private views, and a company shares at most ${MAX_VIEWS}`, async () => {
  const own = await platform.createCompany();
  const user = await platform.createUser(own._id, 'ADMIN');
  for (const [start, owner] of [
    [0, null],
    [MAX_VIEWS, user._id],
  ] as const)
    await database.sql(
      `insert into views (company_id, _id, name, owner_id, is_shared, filters, sort, position)
        select $1, lpad(to_hex($4 + n), 24, '0'), 'x' || n, $3, $3::text is null, '{}', 'createdAt', 0 from generate_series(1, $2) n`,
      [own._id, MAX_VIEWS, owner, start],
    );
  for (const is_shared of [true, false]) {
    const answer = await call(400, 'POST', PATH, { key: user.token, body: make({ filters: {}, is_shared }) });
    assert.equal(answer.body.errors[0].code, 'LIMIT_REACHED');
  }
});

test('views of another company are not found, and callers without a token or the scope are refused', async () => {
  const { _id } = await create(key, { is_shared: true });
  const other = await platform.createCompany();
  for (const method of ['GET', 'DELETE'])
    expectProblem(await call(404, method, `${PATH}/${_id}`, { key: other.key }), 'NOT_FOUND');
  assert.deepEqual(await listIds(other.key), []);
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'conversations:read' });
  await checkRefusals(platform, {
    method: 'POST',
    path: PATH,
    scope: 'conversations:read',
    body: make({ is_shared: true }),
  });
});
