import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkAnswers500, checkRefusals, checkAnswers503, expectProblem } from '../../../test/support/refusals.ts';
import { readEvents, readRawAnswer } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const PATH = '/v1/businesses';

const create = async (body: Json): Promise<Json> => (await call(201, 'POST', PATH, { body })).body;
const patch = (status: number, id: string, body: Json) => call(status, 'PATCH', `${PATH}/${id}`, { body });
const define = async (slug: string, type: string, context = 'business'): Promise<Json> =>
  (await call(201, 'POST', '/v1/custom-fields', { body: { title: slug, slug, context, type } })).body;

const size = await define('size', 'NUMBER');
const site = await define('site', 'TEXT');

test('a business has the same format when it is created, read, listed, changed and removed, with null for empty fields', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const bare = await create({ name: 'Padaria' });
  const { _id, createdAt, updatedAt, ...rest } = bare;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.equal(createdAt, updatedAt);
  const empty = { company: demo._id, name: 'Padaria', domain: null, description: null, custom_fields: [], owner: null };
  assert.deepEqual(rest, empty);
  const given = { name: 'Padaria Silva', domain: 'padaria.example', description: 'Pão', owner: user._id };
  const full = await create({ ...given, custom_fields: { size: 12 } });
  assert.deepEqual(
    { ...full, _id, createdAt, updatedAt },
    {
      ...bare,
      ...given,
      custom_fields: [{ _id: size._id, slug: 'size', title: 'size', value: 12 }],
    },
  );
  assert.deepEqual((await call(200, 'GET', `${PATH}/${full._id}`)).body, full);
  const listed = (await call(200, 'GET', PATH)).body;
  assert.deepEqual(listed.result, [full, bare]);
  const cleared = (await patch(200, full._id, { domain: null, owner: null })).body;
  assert.deepEqual({ ...cleared, updatedAt: '' }, { ...full, domain: null, owner: null, updatedAt: '' });
  assert.deepEqual((await patch(200, full._id, { domain: null, custom_fields: { size: 12 } })).body, cleared);
  assert.deepEqual((await call(200, 'DELETE', `${PATH}/${full._id}`)).body, cleared);
  await call(404, 'GET', `${PATH}/${full._id}`);
});

test('FIELD_UPDATED is emitted for each custom field that really changed, without a contact; other changes emit nothing', async () => {
  const { _id } = await create({ name: 'A', custom_fields: { size: 1 } });
  await patch(200, _id, { name: 'B', custom_fields: { size: 1 } });
  await patch(200, _id, { custom_fields: { size: 2, site: 'x' } });
  await patch(200, _id, { custom_fields: { site: null } });
  await patch(200, _id, { custom_fields: { site: null } });
  const received = await readEvents(platform, _id);
  const of = (field: Json, value: unknown) => ({
    event: 'FIELD_UPDATED',
    data: {
      field: { _id: field._id, slug: field.slug, title: field.title, context: 'business' },
      value,
      contactId: null,
      companyId: demo._id,
    },
  });
  assert.deepEqual(received, [of(size, 1), of(size, 2), of(site, 'x'), of(site, null)]);
});

test('businesses are found by a part of name or domain, in any case and with or without accents, page by page', async () => {
  const { key } = await platform.createCompany();
  for (const body of [
    { name: 'Café São João', domain: 'sao-joao.example' },
    { name: 'Outro', domain: 'cafe.example' },
    { name: '100% Sucos' },
  ]) {
    await call(201, 'POST', PATH, { key, body });
  }
  const names = async (query: string): Promise<string[]> =>
    (await call(200, 'GET', `${PATH}?sort=createdAt&${query}`, { key })).body.result.map(({ name }: Json) => name);
  assert.deepEqual(await names('search=CAFE'), ['Café São João', 'Outro']);
  assert.deepEqual(await names(`search=${encodeURIComponent('são')}`), ['Café São João']);
  assert.deepEqual(await names('search=%25'), ['100% Sucos']);
  assert.deepEqual(await names('search=_'), []);
  const first = (await call(200, 'GET', `${PATH}?limit=2&sort=createdAt`, { key })).body;
  assert.deepEqual([first.meta.totalCount, first.meta.totalPages, first.meta.hasNextPage], [3, 2, true]);
  assert.deepEqual(await names(`limit=2&after=${first.meta.nextCursor}`), ['100% Sucos']);
  assert.equal((await call(200, 'GET', `${PATH}?skipCount=true`, { key })).body.meta.totalCount, null);
});

test('a body that is not a valid business is refused with the field named', async () => {
  const { _id } = await create({ name: 'A' });
  const other = await platform.createCompany();
  const theirs = await platform.createUser(other._id, 'OPERATOR');
  const foreign = await define('of_contacts', 'TEXT', 'contact');
  const bad: [Json, string, string][] = [
    [{ name: '' }, 'VALIDATION_FAILED', 'name'],
    [{ name: ' ' }, 'VALIDATION_FAILED', 'name'],
    [{ name: null }, 'VALIDATION_FAILED', 'name'],
    [{ domain: 'not a domain' }, 'VALIDATION_FAILED', 'domain'],
    [{ domain: 7 }, 'VALIDATION_FAILED', 'domain'],
    [{ company: demo._id }, 'VALIDATION_FAILED', 'company'],
    [{ custom_fields: [] }, 'VALIDATION_FAILED', 'custom_fields'],
    [{ custom_fields: { size: '12' } }, 'VALIDATION_FAILED', 'custom_fields.size'],
    [{ custom_fields: { [foreign._id]: 'x' } }, 'UNKNOWN_REFERENCE', `custom_fields.${foreign._id}`],
    [{ owner: theirs._id }, 'UNKNOWN_REFERENCE', 'owner'],
    [{ owner: newId() }, 'UNKNOWN_REFERENCE', 'owner'],
  ];
  for (const [body, code, path] of bad) {
    expectProblem(await patch(400, _id, body), code, path);
    expectProblem(await call(400, 'POST', PATH, { body: { name: 'B', ...body } }), code, path);
  }
  expectProblem(await call(400, 'POST', PATH, { body: {} }), 'VALIDATION_FAILED', 'name');
});

test('changes of different fields of a business at the same moment are all stored', async () => {
  const { _id } = await create({ name: 'A' });
  const changes = [
    { name: 'Z' },
    { domain: 'z.example' },
    { description: 'd' },
    { custom_fields: { size: 5 } },
    { custom_fields: { site: 's' } },
  ];
  await Promise.all(changes.map((body) => patch(200, _id, body)));
  const { body } = await call(200, 'GET', `${PATH}/${_id}`);
  const values = body.custom_fields.map(({ value }: Json) => value);
  assert.deepEqual([body.name, body.domain, body.description, values], ['Z', 'z.example', 'd', ['s', 5]]);
});

test('operations on businesses refuse callers without a token or the scope, malformed requests, and ids of another company', async () => {
  const { _id } = await create({ name: 'A' });
  const path = `${PATH}/${_id}`;
  const asked = [
    { method: 'POST', path: PATH, scope: 'businesses:create', body: { name: 'B' } },
    { method: 'GET', path: PATH, scope: 'businesses:read' },
    { method: 'GET', path, scope: 'businesses:read' },
    { method: 'PATCH', path, scope: 'businesses:update', body: { name: 'C' } },
    { method: 'DELETE', path, scope: 'businesses:delete' },
  ];
  for (const each of asked) await checkRefusals(platform, each);
  await checkAnswers503(platform, ['businesses'], asked);
  await checkAnswers500(platform, 'businesses.domain', asked);
  const other = await platform.createCompany();
  const theirs = (await call(201, 'POST', PATH, { key: other.key, body: { name: 'Theirs' } })).body._id;
  for (const [method, sent] of [['GET'], ['PATCH', { name: 'X' }], ['DELETE']] as [string, Json?][]) {
    const answer = await readRawAnswer(platform, method, `${PATH}/${theirs}`, sent);
    assert.equal(answer.status, 404);
    for (const id of [newId(), 'not-an-id'])
      assert.deepEqual(await readRawAnswer(platform, method, `${PATH}/${id}`, sent), answer);
  }
  assert.equal((await call(200, 'GET', `${PATH}/${theirs}`, { key: other.key })).body.name, 'Theirs');
});
