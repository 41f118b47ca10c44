/** Saved filters of the list of contacts; what they share with saved views is tested there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLive } from '../../../test/support/live.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';
import { MOST_COUNTED } from './schemas.ts';

const platform = await startPlatform();
const { call, database } = platform;
const company = await platform.createCompany();
const { key } = company;
const PATH = '/v1/segments';
const operator = await platform.createUser(company._id, 'OPERATOR');
const viewer = await platform.createUser(company._id, 'VIEWER');
const where = (field: string, value: unknown): Json => ({
  filters: JSON.stringify([{ field, operator: 'eq', value }]),
});
const create = async (token: string, given: Json): Promise<Json> =>
  (await call(201, 'POST', PATH, { key: token, body: given })).body;
const countOf = async (segment: string, token = key): Promise<number | null | undefined> =>
  (await call(200, 'GET', `${PATH}/counts`, { key: token })).body.segments.find(
    (each: Json) => each.segment === segment,
  )?.count;

test('a segment keeps the filters of the list of contacts, counts what the list finds, and the audit knows it', async () => {
  for (const name of ['Ana', 'Bea', 'Cid'])
    await call(201, 'POST', '/v1/contacts', { key, body: { name, tags: name === 'Cid' ? [] : ['vip'] } });
  const filters = { ...where('contact.tags', 'vip'), search: 'a' };
  const {
    _id,
    createdAt: _made,
    updatedAt: _changed,
    ...fields
  } = await create(operator.token, {
    name: 'VIPs',
    filters,
  });
  const usual = { company: company._id, owner: operator._id, is_shared: false, sort: '-createdAt', position: 0 };
  assert.deepEqual(fields, { ...usual, name: 'VIPs', filters });
  const { body: list } = await call(200, 'GET', `/v1/contacts?${new URLSearchParams(filters).toString()}`, { key });
  assert.equal(list.meta.totalCount, 2);
  assert.equal(await countOf(_id, operator.token), 2);
  await call(200, 'PATCH', `${PATH}/${_id}`, { key: operator.token, body: { filters: {} } });
  assert.equal(await countOf(_id, operator.token), 3);
  await call(200, 'DELETE', `${PATH}/${_id}`, { key: operator.token });
  const audit = (await call(200, 'GET', `/v1/audit?resource=${_id}`, { key })).body.result;
  assert.deepEqual(
    audit.map(({ action }: Json) => action),
    ['segments.delete', 'segments.update', 'segments.create'],
  );
});

test("a view and a segment do not know each other, although both may have one name, and another user's private segment is unknown", async () => {
  const segment = await create(viewer.token, { name: 'Same', filters: {} });
  const { body: view } = await call(201, 'POST', '/v1/views', {
    key: viewer.token,
    body: { name: 'Same', filters: {} },
  });
  for (const [path, id, token] of [
    ['/v1/views', segment._id, viewer.token],
    [PATH, view._id, viewer.token],
    [PATH, segment._id, operator.token],
  ] as const)
    for (const method of ['GET', 'DELETE'])
      expectProblem(await call(404, method, `${path}/${id}`, { key: token }), 'NOT_FOUND');
  const listed = async (path: string): Promise<string[]> =>
    (await call(200, 'GET', path, { key: viewer.token })).body.result.map(({ _id }: Json) => _id);
  assert.deepEqual([await listed(PATH), await listed('/v1/views')], [[segment._id], [view._id]]);
  const again = { key: viewer.token, body: { name: 'same', filters: {} } };
  expectProblem(await call(409, 'POST', PATH, again), 'VIEW_EXISTS', 'name');
  const shared = { key: viewer.token, body: { name: 'Ours', filters: {}, is_shared: true } };
  expectProblem(await call(403, 'POST', PATH, shared), 'FORBIDDEN', 'authorization');
});

test("a filter on another company's user or field is refused like an unknown one, and one that was deleted later makes an empty segment", async () => {
  const other = await platform.createCompany();
  const stranger = await platform.createUser(other._id, 'ADMIN');
  for (const id of [stranger._id, newId()]) {
    const body = { name: 'x', is_shared: true, filters: where('contact.owner', id) };
    expectProblem(await call(400, 'POST', PATH, { key, body }), 'UNKNOWN_REFERENCE', 'filters.filters[0].value');
    const field = { ...body, filters: where(id, 'x') };
    expectProblem(await call(400, 'POST', PATH, { key, body: field }), 'UNKNOWN_REFERENCE', 'filters.filters[0].field');
  }
  const field = { title: 'Plan', slug: 'plan', context: 'contact', type: 'TEXT' };
  const { body: plan } = await call(201, 'POST', '/v1/custom-fields', { key, body: field });
  await call(201, 'POST', '/v1/contacts', { key, body: { name: 'Gil', custom_fields: { plan: 'Gold' } } });
  const segment = await create(key, { name: 'Gold', is_shared: true, filters: where('plan', 'gold') });
  assert.equal(await countOf(segment._id), 1);
  await call(200, 'DELETE', `/v1/custom-fields/${plan._id}`, { key });
  assert.equal(await countOf(segment._id), 0);
  const { body } = await call(200, 'PATCH', `${PATH}/${segment._id}`, { key, body: { name: 'Was gold' } });
  assert.equal(body.name, 'Was gold');
});

test(`a segment counts at most ${MOST_COUNTED} contacts, and none where all of more than 50,000 would be compared`, async () => {
  const large = await platform.createCompany();
  await database.sql(
    `insert into contacts (company_id, _id, name, source) select $1, new_id(), 'Ana', 'API' from generate_series(1, 50001)`,
    [large._id],
  );
  const make = (name: string, filters: Json): Promise<Json> => create(large.key, { name, is_shared: true, filters });
  const all = await make('All', {});
  const found = await make('Tagged', where('contact.tags', 'vip'));
  const compared = await make('Opted out', where('contact.opted_out', true));
  assert.equal(await countOf(all._id, large.key), MOST_COUNTED);
  assert.equal(await countOf(found._id, large.key), 0);
  assert.equal(await countOf(compared._id, large.key), null);
});

test('the live stream sends a shared segment to everyone and a private one to its owner', async () => {
  const [mine, others] = [await openLive(platform, { key: viewer.token }), await openLive(platform, { key })];
  const own = await create(viewer.token, { name: 'Own', filters: {} });
  await mine.waitFor('segment', ({ _id }) => _id === own._id);
  const shared = await create(operator.token, { name: 'Shared', filters: {}, is_shared: true });
  await others.waitFor('segment', ({ _id }) => _id === shared._id);
  await call(200, 'DELETE', `${PATH}/${shared._id}`, { key: operator.token });
  await others.waitFor('removed', ({ _id, event }) => _id === shared._id && event === 'segment');
  assert.ok(!others.events.some(({ data }: Json) => data._id === own._id));
});
