import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkAnswers503, checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { readRawAnswer } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/knowledge';
const AUTCL = `${PATH}/autcl`;
const hours = { name: 'Horários', content: '# Loja\n\nAbrimos às nove.' };
const create = async (body: Json = hours, key = demo.key): Promise<Json> =>
  (await call(201, 'POST', AUTCL, { key, body })).body;
const put = (status: number, id: string, body: Json) => call(status, 'PUT', `${AUTCL}/${id}`, { body });
const listNames = async (key: string, query = ''): Promise<string[]> =>
  (await call(200, 'GET', `${PATH}?sort=createdAt${query}`, { key })).body.result.map(({ name }: Json) => name);

test('an item that is written is PROCESSING, shows its company, leaves out what is empty, and is created once with an Idempotency-Key', async () => {
  const headers = { 'idempotency-key': 'item-1' };
  const { body: item } = await call(201, 'POST', AUTCL, { body: hours, headers });
  const { _id, company, createdAt, updatedAt, ...rest } = item;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.equal(createdAt, updatedAt);
  const made = {
    type: 'KNOWLEDGE',
    file_type: 'AUTCL',
    language: 'pt',
    tags: [],
    status: 'PROCESSING',
    chunk_count: 0,
  };
  assert.deepEqual(rest, { ...hours, ...made });
  const {
    company: _self,
    limits,
    usage,
    second_factor_required: _policy,
    createdAt: _at,
    updatedAt: _changed,
    ...shown
  } = (await call(200, 'GET', `/v1/companies/${demo._id}`)).body;
  assert.ok(limits && usage);
  assert.deepEqual(company, shown);
  assert.equal((await call(201, 'POST', AUTCL, { body: hours, headers })).body._id, _id);
});

test('an item is read, changed and removed, the list leaves its text out, and the audit knows each change', async () => {
  const { key } = await platform.createCompany();
  const given = { ...hours, description: 'Quando abrimos', tags: ['loja'], language: 'en' };
  const item = await create(given, key);
  const path = `${PATH}/${item._id}`;
  assert.deepEqual(pickGiven((await call(200, 'GET', path, { key })).body), given);
  const listed = (await call(200, 'GET', PATH, { key })).body.result;
  assert.deepEqual([listed.length, listed[0]._id, 'content' in listed[0]], [1, item._id, false]);
  const cleared = (await call(200, 'PUT', `${AUTCL}/${item._id}`, { key, body: { description: null } })).body;
  assert.ok(!('description' in cleared));
  assert.equal((await call(200, 'DELETE', path, { key })).body._id, item._id);
  expectProblem(await call(404, 'GET', path, { key }), 'NOT_FOUND');
  const audit = (await call(200, 'GET', `/v1/audit?resource=${item._id}`, { key })).body.result;
  const actions = audit.map(({ action }: Json) => action).toSorted();
  assert.deepEqual(actions, ['knowledge.create', 'knowledge.delete', 'knowledge.update']);
});

const pickGiven = ({ name, content, description, tags, language }: Json): Json => ({
  name,
  content,
  description,
  tags,
  language,
});

test('items are found by type, file type, state and a part of name, description or tag, page by page', async () => {
  const { _id, key } = await platform.createCompany();
  await create({ ...hours, description: 'Loja física' }, key);
  await create({ name: 'Prices', content: 'Cake: 5', tags: ['Preço'] }, key);
  await create({ name: '100% sucos', content: 'Laranja' }, key);
  await database.sql(
    `update knowledge_items set type = 'MEDIA', file_type = 'PDF' where company_id = $1 and name = $2`,
    [_id, 'Prices'],
  );
  assert.deepEqual(await listNames(key, '&type=MEDIA'), ['Prices']);
  assert.deepEqual(await listNames(key, '&file_type=AUTCL'), ['Horários', '100% sucos']);
  assert.deepEqual(await listNames(key, '&status=ERROR'), []);
  for (const search of ['HORARIOS', 'fisica'])
    assert.deepEqual(await listNames(key, `&search=${search}`), ['Horários']);
  assert.deepEqual(await listNames(key, '&search=preco'), ['Prices']);
  assert.deepEqual(await listNames(key, '&search=%25'), ['100% sucos']);
  const first = (await call(200, 'GET', `${PATH}?sort=createdAt&limit=2`, { key })).body;
  assert.deepEqual([first.meta.totalCount, first.meta.hasNextPage], [3, true]);
  assert.deepEqual(await listNames(key, `&limit=2&after=${first.meta.nextCursor}`), ['100% sucos']);
});

test('a body that is no valid item is refused with the field named, and changes nothing', async () => {
  const { _id } = await create();
  const bad: [Json, string][] = [
    [{ name: '' }, 'name'],
    [{ content: ' ' }, 'content'],
    [{ content: null }, 'content'],
    [{ content: 'a'.repeat(1_000_001) }, 'content'],
    [{ language: 'de' }, 'language'],
    [{ tags: ['a', 'a'] }, 'tags'],
    [{ status: 'READY' }, 'status'],
  ];
  for (const [body, path] of bad) {
    expectProblem(await put(400, _id, body), 'VALIDATION_FAILED', path);
    expectProblem(await call(400, 'POST', AUTCL, { body: { ...hours, ...body } }), 'VALIDATION_FAILED', path);
  }
  expectProblem(await call(400, 'POST', AUTCL, { body: { name: 'A' } }), 'VALIDATION_FAILED', 'content');
  assert.deepEqual((await call(200, 'GET', `${PATH}/${_id}`)).body.content, hours.content);
});

test('the text of an item counts towards the quota of its company', async () => {
  const { _id, key } = await platform.createCompany();
  await database.sql(`update companies set limits = '{"stored_bytes": 50000}' where _id = $1`, [_id]);
  await create(hours, key);
  const body = { ...hours, content: 'a'.repeat(60_000) };
  expectProblem(await call(409, 'POST', AUTCL, { key, body }), 'QUOTA_EXCEEDED');
  assert.deepEqual(await listNames(key), [hours.name]);
});

test('operations on knowledge refuse callers without a token or the scope, malformed requests, and ids of another company', async () => {
  const { _id } = await create();
  const path = `${PATH}/${_id}`;
  const asked = [
    { method: 'POST', path: AUTCL, scope: 'knowledge:create', body: hours },
    { method: 'PUT', path: `${AUTCL}/${_id}`, scope: 'knowledge:update', body: { name: 'B' } },
    { method: 'GET', path: PATH, scope: 'knowledge:read' },
    { method: 'GET', path, scope: 'knowledge:read' },
    { method: 'POST', path: `${path}/retry`, scope: 'knowledge:update' },
    { method: 'DELETE', path, scope: 'knowledge:delete' },
  ];
  for (const each of asked) await checkRefusals(platform, each);
  await checkAnswers503(platform, ['knowledge_items'], asked);
  const other = await platform.createCompany();
  const theirs = (await create(hours, other.key))._id;
  const paths: [string, (id: string) => string, Json?][] = [
    ['GET', (id) => `${PATH}/${id}`],
    ['PUT', (id) => `${AUTCL}/${id}`, { name: 'X' }],
    ['POST', (id) => `${PATH}/${id}/retry`],
    ['DELETE', (id) => `${PATH}/${id}`],
  ];
  for (const [method, makePath, body] of paths) {
    const answer = await readRawAnswer(platform, method, makePath(theirs), body);
    assert.equal(answer.status, 404);
    for (const id of [newId(), 'not-an-id'])
      assert.deepEqual(await readRawAnswer(platform, method, makePath(id), body), answer);
  }
  assert.deepEqual(await listNames(other.key), [hours.name]);
});

test('the language of a new text is detected, unless it is given or the text is too short to tell', async () => {
  const { key } = await platform.createCompany();
  const detect = async (more: Json): Promise<string> => (await create({ name: 'x', ...more }, key)).language;
  const spanish = { content: 'Las inscripciones se cancelan por escrito antes del día primero de cada mes.' };
  assert.equal(await detect({ content: 'Broken devices are repaired free of charge for two years.' }), 'en');
  assert.equal(await detect(spanish), 'es');
  assert.equal(
    await detect({ content: 'Abrimos de segunda a sexta, das 9h às 18h, e não abrimos nos feriados.' }),
    'pt',
  );
  assert.equal(await detect({ ...spanish, language: 'en' }), 'en');
  assert.equal(await detect({ content: '+55 11 98888' }), 'pt', 'the language of the company');
});
