/** Callers may give fields, columns, tags and headers any name, even the name of a property that every JavaScript object inherits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../support/platform.ts';
import { buildForm, importSheet, postForm } from '../support/sheets.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;

/** The names of inherited properties (`constructor`, `toString`, `__proto__` and others), and other spellings of `constructor`. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);
const NAMES = [...INHERITED, 'Constructor', 'CONSTRUCTOR'];
/** The platform refuses a JSON body with this property before it reads the rest of the body. */
const REFUSED_KEY = '__proto__';
const KEYS = NAMES.filter((name) => name !== REFUSED_KEY);

const post = async (path: string, body: unknown): Promise<Json> => (await call(201, 'POST', path, { body })).body;
const get = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
const findInList = async (path: string, id: string): Promise<Json> =>
  (await get(`${path}${path.includes('?') ? '&' : '?'}limit=100`)).result.find(({ _id }: Json) => _id === id);
const makeCsv = (...lines: string[]): { name: string; data: string } => ({
  name: 'sheet.csv',
  data: lines.join('\r\n'),
});
const quoteCells = (cells: string[]): string => cells.map((cell) => `"${cell}"`).join(',');

/**
 * Creates a custom field for each inherited name in one context. Most slugs are derived from the title; one slug is `constructor` itself.
 */
async function defineFields(context: 'contact' | 'business'): Promise<Json[]> {
  const fields: Json[] = [];
  for (const title of INHERITED) {
    fields.push(await post('/v1/custom-fields', { title, context, type: 'SELECT', options: INHERITED }));
  }
  const shown = await get(`/v1/custom-fields?context=${context}&sort=createdAt&limit=100`);
  assert.deepEqual(shown.result, fields);
  assert.ok(fields.some(({ slug }) => slug === 'constructor'));
  return fields;
}

const contactFields = await defineFields('contact');

/**
 * Returns values for the custom fields, which are options with inherited names; `key` tells whether a field is named by its slug or its id.
 */
const makeValuesBy = (fields: readonly Json[], key: 'slug' | '_id'): Json =>
  Object.fromEntries(fields.map((field) => [field[key], field.title]));
const readShownValues = (record: Json): Json =>
  Object.fromEntries(
    record.custom_fields.filter(({ value }: Json) => value !== null).map(({ slug, value }: Json) => [slug, value]),
  );

test('a sheet whose columns are named like inherited JavaScript properties is imported, and its import can be read', async () => {
  const path = '/v1/contacts/import';
  const file = makeCsv(quoteCells(['external_id', ...INHERITED]), quoteCells(['sheet-1', ...INHERITED]));
  const mapping = JSON.stringify(
    Object.fromEntries(
      ['external_id', ...INHERITED].filter((name) => name !== REFUSED_KEY).map((name) => [name, name]),
    ),
  );
  for (const parts of [{ file }, { file, mapping }]) {
    const done = await importSheet(platform, path, parts);
    assert.deepEqual([done.status, done.processed, done.row_errors], ['COMPLETED', 1, []]);
    assert.deepEqual(await findInList(path, done._id), done);
    const known = Object.keys(parts).includes('mapping') ? INHERITED.filter((name) => name !== REFUSED_KEY) : INHERITED;
    assert.equal(done.columns.filter(({ field }: Json) => field?.startsWith('custom_fields.')).length, known.length);
  }
  const [contact] = (await get('/v1/contacts?search=sheet-1')).result.concat(
    (await get('/v1/contacts?limit=100')).result.filter((each: Json) => each.external_id === 'sheet-1'),
  );
  assert.deepEqual(readShownValues(contact), makeValuesBy(contactFields, 'slug'));
});

test("a sheet's columns named like inherited properties are ignored where the company has no field with that name", async () => {
  const { key } = await platform.createCompany();
  const path = '/v1/contacts/import';
  const file = makeCsv(
    quoteCells(['external_id', ...INHERITED, 'Constructor']),
    quoteCells(['Ana', ...INHERITED, 'Constructor']),
  );
  const done = await importSheet(platform, path, { file }, { key });
  assert.deepEqual([done.status, done.created_count], ['COMPLETED', 1]);
  assert.deepEqual(
    done.columns.map(({ field }: Json) => field),
    ['external_id', ...[...INHERITED, 'Constructor'].map(() => null)],
  );
  assert.equal((await call(200, 'GET', path, { key })).body.result.length, 1);
});

test('values of fields named like inherited properties are written, listed, changed and cleared exactly as given', async () => {
  for (const [path, fields] of [
    ['/v1/contacts', contactFields],
    ['/v1/businesses', await defineFields('business')],
  ] as const) {
    for (const key of ['slug', '_id'] as const) {
      const created = await post(path, { name: 'Ana', custom_fields: makeValuesBy(fields, key) });
      assert.deepEqual(readShownValues(created), makeValuesBy(fields, 'slug'));
      assert.deepEqual(await findInList(path, created._id), created);
      for (const field of fields) {
        const body = { custom_fields: { [field[key]]: null } };
        const changed = await call(200, 'PATCH', `${path}/${created._id}`, { body });
        assert.ok(!Object.hasOwn(readShownValues(changed.body), field.slug));
      }
    }
  }
});

test('contacts can be filtered, searched and exported by fields and tags named like inherited properties', async () => {
  const tags = NAMES;
  const { _id } = await post('/v1/contacts', {
    name: 'constructor',
    external_id: '__proto__',
    tags,
    custom_fields: makeValuesBy(contactFields, 'slug'),
  });
  for (const { _id: field, title } of contactFields) {
    const filters = encodeURIComponent(JSON.stringify([{ field, operator: 'eq', value: title }]));
    assert.ok(await findInList(`/v1/contacts?filters=${filters}`, _id), title);
  }
  assert.ok(await findInList('/v1/contacts?search=constructor', _id));
  assert.deepEqual((await get(`/v1/contacts/${_id}`)).tags, tags);
  const { body } = await call(200, 'GET', '/v1/contacts/export');
  const [head = [], ...lines] = (body as string).split('\r\n').map((line) => line.split(','));
  const line = lines.find(([id]) => id === _id);
  for (const { slug, title } of contactFields) assert.equal(line?.[head.indexOf(`custom_fields.${slug}`)], title);
  assert.ok(!(body as string).includes('native code'));
});

test('the rows of a table with columns named like inherited properties can be written, shown, searched, changed, exported and imported', async () => {
  const columns = ['constructor', 'valueof', 'a'].map((key, index) => ({ key, title: NAMES[index], type: 'TEXT' }));
  const table = await post('/v1/tables', { name: 'toString', slug: 'constructor', columns });
  const path = `/v1/tables/${table._id}`;
  const empty = await post(`${path}/rows`, { data: {} });
  const full = await post(`${path}/rows`, { data: { constructor: '__proto__', a: 'toString' } });
  assert.deepEqual(empty.data, {});
  assert.deepEqual(full.data, { constructor: '__proto__', a: 'toString' });
  assert.deepEqual((await get(`${path}/rows?search=__proto__`)).result, [full]);
  const { body: changed } = await call(200, 'PATCH', `${path}/rows/${empty._id}`, {
    body: { data: { constructor: 'x' } },
  });
  assert.deepEqual(changed.data, { constructor: 'x' });
  await call(200, 'PATCH', `${path}/rows/${empty._id}`, { body: { data: { constructor: null } } });
  const { body: exported } = await call(200, 'GET', `${path}/export`);
  assert.deepEqual((exported as string).replace('\uFEFF', '').trimEnd().split('\r\n'), [
    '_row_index,constructor,valueof,a,_contact_id,_business_id',
    `${empty.row_index},,,,,`,
    `${full.row_index},__proto__,,toString,,`,
  ]);
  const file = makeCsv(
    quoteCells([...NAMES.filter((name) => !/^constructor$/i.test(name)), 'Constructor']),
    quoteCells(NAMES.slice(1)),
  );
  const done = await importSheet(platform, `${path}/import`, { file });
  assert.equal(done.status, 'COMPLETED');
  assert.deepEqual(await get(`${path}/import/${done._id}`), done);
  const narrowed = columns.map((column) => ({ ...column, type: 'LIST' }));
  await call(200, 'PATCH', path, { body: { columns: narrowed } });
  await call(200, 'PATCH', path, { body: { columns: [], drop_columns: columns.map(({ key }) => key) } });
  assert.deepEqual(
    (await get(path)).rows.result.every(({ data }: Json) => Object.keys(data).length === 0),
    true,
  );
});

test('an undefined column, field, part, parameter or filter named like an inherited property answers 400', async () => {
  const table = await post('/v1/tables', { name: 'Plain', columns: [{ key: 'a', type: 'TEXT' }] });
  const other = await platform.createCompany();
  for (const name of KEYS) {
    const named = { [name]: 'x' };
    const refused = async (path: string, method: string, url: string, body?: unknown): Promise<void> => {
      const answer = await call(400, method, url, { key: other.key, body });
      assert.equal(answer.body.errors[0].path, path, `${method} ${url}`);
    };
    await refused(`custom_fields.${name}`, 'POST', '/v1/contacts', { name: 'Ana', custom_fields: named });
    await refused(`custom_fields.${name}`, 'POST', '/v1/businesses', { name: 'Casa', custom_fields: named });
    await refused(name, 'POST', '/v1/contacts', named);
    await refused(name, 'GET', `/v1/contacts?${name}=1`);
    await refused('sort', 'GET', `/v1/contacts?sort=${name}`);
    await refused('status', 'GET', `/v1/inboxes?status=${name}`);
    await refused('events[0]', 'POST', '/v1/webhooks', { url: `${platform.sandboxUrl}/receiver/x`, events: [name] });
    const filter = (item: object): string => `/v1/contacts?filters=${encodeURIComponent(JSON.stringify([item]))}`;
    await refused('filters[0].field', 'GET', filter({ field: name, operator: 'eq', value: '' }));
    await refused('filters[0].field', 'GET', filter({ field: `contact.${name}`, operator: 'eq', value: '' }));
    await refused('filters[0].operator', 'GET', filter({ field: 'contact.name', operator: name, value: '' }));
    await refused(`filters[0].${name}`, 'GET', filter({ field: 'contact.name', operator: 'eq', value: '', ...named }));
    const row = await call(400, 'POST', `/v1/tables/${table._id}/rows`, { body: { data: named } });
    assert.equal(row.body.errors[0].path, `data.${name}`);
    await call(404, 'GET', `/v1/contacts/${name}`);
    await call(404, 'GET', `/v1/${name}`);
    // The parser of multipart forms refuses a part with this name before the operation sees it.
    await postForm(platform, [400, '/v1/contacts/import'], { file: makeCsv('name', 'Ana'), ...named });
    const mapping = JSON.stringify({ name });
    const answer = await postForm(
      platform,
      [400, '/v1/contacts/import'],
      { file: makeCsv('name', 'Ana'), mapping },
      { key: other.key },
    );
    assert.equal(answer.body.errors[0].path, 'mapping.name');
  }
  const form = buildForm({ file: makeCsv('name', 'Ana') });
  form.set(REFUSED_KEY, 'x');
  await postForm(platform, [400, '/v1/contacts/import'], form);
  await call(400, 'GET', `/v1/contacts?${REFUSED_KEY}=1`);
  await call(400, 'POST', '/v1/contacts', { raw: `{"name":"Ana","custom_fields":{"${REFUSED_KEY}":"x"}}` });
});

test('pipelines, steps, users, keys, free objects, repeated requests and headers may be named like inherited properties', async () => {
  const pipeline = await post('/v1/pipelines', { name: 'constructor', steps: NAMES.map((name) => ({ name })) });
  assert.deepEqual(
    pipeline.steps.map(({ name }: Json) => name),
    NAMES,
  );
  const replaced = await call(400, 'PATCH', `/v1/pipelines/${pipeline._id}`, {
    body: { steps: pipeline.steps.slice(1), replacements: { constructor: pipeline.steps[1]._id } },
  });
  assert.equal(replaced.body.errors[0].path, 'replacements.constructor');
  assert.deepEqual(await findInList('/v1/pipelines', pipeline._id), pipeline);
  const free = Object.fromEntries(KEYS.map((name) => [name, { [name]: [name] }]));
  const { body: company } = await call(200, 'PATCH', `/v1/companies/${demo._id}`, { body: { attribution: free } });
  assert.deepEqual(company.attribution, free);
  const headers = Object.fromEntries(
    KEYS.filter((name) => !/^CONST|^Const/.test(name)).map((name) => [name, `value of ${name}`]),
  );
  const { body: webhook } = await call(200, 'PUT', `/v1/webhooks/${demo.webhook}`, {
    body: { custom_headers: headers },
  });
  assert.deepEqual(webhook.custom_headers, headers);
  const { _id } = await post('/v1/contacts', { name: 'With headers' });
  const [delivery] = await platform.deliveries(({ body }) => body.data._id === _id);
  for (const [name, value] of Object.entries(headers))
    assert.equal(new Map(Object.entries(delivery.headers)).get(name.toLowerCase()), value);
  for (const name of NAMES) {
    const again = { headers: { 'idempotency-key': name }, body: { name } };
    const first = await call(201, 'POST', '/v1/contacts', again);
    assert.equal((await call(201, 'POST', '/v1/contacts', again)).body._id, first.body._id);
  }
});

test('a message whose type is named like an inherited property is stored as a message of an unknown type', async () => {
  for (const type of NAMES) {
    const { id } = await platform.receive({ type, from: '5511977776666' });
    const [row] = await database.sql<{ _id: string }>('select _id from messages where external_id = $1', [id]);
    assert.equal((await get(`/v1/messages/${row?._id}`)).contentType, 'UNSUPPORTED', type);
  }
});
