import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { readEvents, readRawAnswer } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { stripField } from './strip.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/custom-fields';

let fields = 0;
async function define(body: Json): Promise<Json> {
  fields += 1;
  const given = { title: `Field ${fields}`, slug: `field_${fields}`, context: 'contact', type: 'TEXT', ...body };
  return (await call(201, 'POST', PATH, { body: given })).body;
}
const contactWith = async (values: Json): Promise<Json> =>
  (await call(201, 'POST', '/v1/contacts', { body: { name: 'Maria', custom_fields: values } })).body;
const patch = (status: number, path: string, body: Json) => call(status, 'PATCH', path, { body });

test('a custom field has the same format when it is created, read, listed, changed and removed', async () => {
  const body = { title: 'Plano', context: 'contact', type: 'SELECT', options: ['gold', 'basic'], description: 'Paid' };
  const created = (await call(201, 'POST', PATH, { body })).body;
  const { _id, createdAt, updatedAt, ...rest } = created;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, { ...body, company: demo._id, slug: 'plano' });
  assert.deepEqual((await call(200, 'GET', `${PATH}/${_id}`)).body, created);
  assert.ok((await call(200, 'GET', PATH)).body.result.some((field: Json) => field._id === _id));
  const changed = (await patch(200, `${PATH}/${_id}`, { title: 'Plan', description: null })).body;
  assert.deepEqual({ ...changed, updatedAt: '' }, { ...created, title: 'Plan', description: null, updatedAt: '' });
  assert.deepEqual((await patch(200, `${PATH}/${_id}`, { title: 'Plan' })).body, changed);
  assert.deepEqual((await call(200, 'DELETE', `${PATH}/${_id}`)).body, changed);
  await call(404, 'GET', `${PATH}/${_id}`);
  await call(404, 'DELETE', `${PATH}/${_id}`);
});

test('a slug belongs to one field of a context, also when ten requests ask for it at once; another context may use it as well', async () => {
  const body = { title: 'Score', slug: 'score', context: 'contact', type: 'NUMBER' };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      fetch(platform.url + PATH, {
        method: 'POST',
        headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, ...Array.from({ length: 9 }, () => 409)],
  );
  const refused = await call(409, 'POST', PATH, { body });
  expectProblem(refused, 'FIELD_EXISTS', 'slug');
  const { result } = (await call(200, 'GET', `${PATH}?search=score`)).body;
  assert.equal(refused.body.existing_id, result[0]._id);
  await call(201, 'POST', PATH, { body: { ...body, context: 'conversation' } });
  const other = await platform.createCompany();
  await call(201, 'POST', PATH, { body, key: other.key });
});

test('a body that is no valid custom field is refused with the faulty property named', async () => {
  const good = { title: 'T', context: 'contact', type: 'TEXT' };
  const bad: [Json, string][] = [
    [{ ...good, type: 'SELECT' }, 'options'],
    [{ ...good, type: 'SELECT', options: [] }, 'options'],
    [{ ...good, options: ['a'] }, 'options'],
    [{ ...good, type: 'LIST', options: ['a', 'a'] }, 'options'],
    [{ ...good, slug: 'Plan' }, 'slug'],
    [{ ...good, slug: 'a'.repeat(24) }, 'slug'],
    // No slug can be made from this title.
    [{ ...good, title: '年齢' }, 'slug'],
    [{ ...good, title: '  ' }, 'title'],
    [{ ...good, context: 'message' }, 'context'],
    [{ ...good, type: 'text' }, 'type'],
    [{ title: 'T', context: 'contact' }, 'type'],
  ];
  for (const [body, path] of bad) expectProblem(await call(400, 'POST', PATH, { body }), 'VALIDATION_FAILED', path);
  const { _id } = await define({ type: 'SELECT', options: ['a'] });
  for (const [body, path] of [
    [{ options: [] }, 'options'],
    [{ slug: 'other' }, 'slug'],
    [{ type: 'TEXT' }, 'type'],
    [{ context: 'business' }, 'context'],
  ] as [Json, string][]) {
    expectProblem(await patch(400, `${PATH}/${_id}`, body), 'VALIDATION_FAILED', path);
  }
});

test('each type of custom field accepts its own values and refuses all others, naming the field as the caller wrote it', async () => {
  const long = 'x'.repeat(4_097);
  const types: [Json, unknown[], unknown[]][] = [
    [{ type: 'TEXT' }, ['', 'Olá', '7', 'x'.repeat(4_096)], [7, true, ['a'], long]],
    [{ type: 'NUMBER' }, [0, -1.5, 1e21, 123_456_789_012_345], ['7', true, [1], 1_234_567_890_123_456]],
    [{ type: 'BOOLEAN' }, [true, false], ['true', 0, 1]],
    [
      { type: 'DATE' },
      ['2026-02-28', '2024-02-29'],
      ['2026-02-30', '28/02/2026', '2026-2-8', '2026-02-28T00:00:00Z', 20_260_228],
    ],
    [{ type: 'SELECT', options: ['a', 'b'] }, ['a', 'b'], ['A', 'c', '', ['a']]],
    [{ type: 'LIST' }, [[], ['x'], ['x', 'y']], ['x', [1], [['x']], Array.from({ length: 101 }, () => 'x')]],
    [{ type: 'LIST', options: ['a', 'b'] }, [['b', 'a']], [['c']]],
  ];
  const contact = await contactWith({});
  for (const [given, good, bad] of types) {
    const { _id, slug } = await define(given);
    for (const value of good) {
      const { body } = await patch(200, `/v1/contacts/${contact._id}`, { custom_fields: { [slug]: value } });
      assert.deepEqual(body.custom_fields.find((field: Json) => field._id === _id)?.value, value);
    }
    for (const value of bad) {
      for (const key of [slug, _id]) {
        const refused = await patch(400, `/v1/contacts/${contact._id}`, { custom_fields: { [key]: value } });
        expectProblem(refused, 'VALIDATION_FAILED');
        assert.ok(refused.body.errors[0].path.startsWith(`custom_fields.${key}`), refused.body.errors[0].path);
      }
    }
  }
});

test('a custom field value is written by the slug or id of its field, and an unknown field or one of another context or company is refused', async () => {
  const own = await define({});
  const business = await define({ context: 'business' });
  const other = await platform.createCompany();
  const body = { title: 'Theirs', context: 'contact', type: 'TEXT' };
  const theirs = (await call(201, 'POST', PATH, { body, key: other.key })).body;
  const contact = await contactWith({ [own._id]: 'by id' });
  assert.deepEqual(contact.custom_fields, [{ _id: own._id, slug: own.slug, title: own.title, value: 'by id' }]);
  for (const key of [business._id, business.slug, theirs._id, theirs.slug, newId(), 'nothing', 'constructor']) {
    const refused = await patch(400, `/v1/contacts/${contact._id}`, { custom_fields: { [key]: 'x' } });
    expectProblem(refused, 'UNKNOWN_REFERENCE', `custom_fields.${key}`);
  }
  const twice = { custom_fields: { [own._id]: 'a', [own.slug]: 'b' } };
  expectProblem(await patch(400, `/v1/contacts/${contact._id}`, twice), 'VALIDATION_FAILED');
});

test('a removed option of a custom field stays in the records that have it, and is not accepted as a new value', async () => {
  const { _id, slug } = await define({ type: 'SELECT', options: ['old', 'new'] });
  const holder = await contactWith({ [slug]: 'old' });
  const another = await contactWith({});
  await patch(200, `${PATH}/${_id}`, { options: ['new'] });
  const { body } = await call(200, 'GET', `/v1/contacts/${holder._id}`);
  assert.equal(body.custom_fields[0].value, 'old');
  await patch(200, `/v1/contacts/${holder._id}`, { custom_fields: { [slug]: 'old' } });
  assert.deepEqual(
    (await readEvents(platform, holder._id)).map(({ event }) => event),
    ['CONTACT_CREATED', 'FIELD_UPDATED'],
  );
  await patch(400, `/v1/contacts/${another._id}`, { custom_fields: { [slug]: 'old' } });
});

test('a removed custom field disappears from all records at once, and a job erases its values', async () => {
  const [gone, stays] = [await define({}), await define({})];
  const contact = await contactWith({ [gone.slug]: 'secret', [stays.slug]: 'kept' });
  await call(200, 'DELETE', `${PATH}/${gone._id}`);
  const { body } = await call(200, 'GET', `/v1/contacts/${contact._id}`);
  assert.deepEqual(
    body.custom_fields.map((field: Json) => field.value),
    ['kept'],
  );
  assert.equal(body.updatedAt, contact.updatedAt);
  expectProblem(
    await patch(400, `/v1/contacts/${contact._id}`, { custom_fields: { [gone.slug]: 'x' } }),
    'UNKNOWN_REFERENCE',
  );
  const again = await define({ slug: gone.slug });
  assert.deepEqual((await call(200, 'GET', `/v1/contacts/${contact._id}`)).body, body);
  assert.notEqual(again._id, gone._id);
  // Moves the start of the job to now, instead of waiting a minute for it.
  await database.sql(`update pgboss.job set start_after = now() where name = 'custom-fields.strip'`);
  await waitUntil('the values are erased', async () => {
    const [row] = await database.sql<{ held: Json }>('select custom_fields as held from contacts where _id = $1', [
      contact._id,
    ]);
    return row && !(gone._id in row.held) && row.held[stays._id] === 'kept';
  });
});

test('a job erases the values of thousands of records portion by portion, in each context, and continues after an interruption', async () => {
  const other = await platform.createCompany();
  const [own, foreign] = [newId(), newId()];
  for (const company of [demo._id, other._id]) {
    await database.sql(
      `insert into businesses (company_id, _id, name, custom_fields)
        select $1, new_id(), 'B', jsonb_build_object($2::text, 'x', $3::text, 'y') from generate_series(1, 2500)`,
      [company, own, foreign],
    );
  }
  const { kit } = platform.running;
  const left = async (company: string): Promise<number> => {
    const [row] = await database.sql<{ count: number }>(
      'select count(*)::int as count from businesses where company_id = $1 and custom_fields ? $2',
      [company, own],
    );
    return row?.count ?? -1;
  };
  await stripField(kit, demo._id, own, 'contact');
  await stripField(kit, demo._id, own, 'conversation');
  assert.equal(await left(demo._id), 2_500);
  await stripField(kit, demo._id, own, 'business');
  assert.equal(await left(demo._id), 0);
  assert.equal(await left(other._id), 2_500);
  await stripField(kit, demo._id, own, 'business');
  const [row] = await database.sql<{ count: number }>(
    'select count(*)::int as count from businesses where company_id = $1 and custom_fields ? $2',
    [demo._id, foreign],
  );
  assert.equal(row?.count, 2_500);
});

test('a context accepts 200 fields, also when many are created at once; removing one makes room for another', async () => {
  const { _id: company, key } = await platform.createCompany();
  await database.sql(
    `insert into custom_fields (company_id, _id, slug, title, context)
      select $1, new_id(), 'f' || n, 'F', 'contact' from generate_series(1, 197) n`,
    [company],
  );
  const make = async (slug: string, context = 'contact') => {
    const body = JSON.stringify({ title: 'T', slug, context, type: 'TEXT' });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return (await fetch(platform.url + PATH, { method: 'POST', headers, body })).status;
  };
  const statuses = await Promise.all(Array.from({ length: 10 }, (_, index) => make(`new_${index}`)));
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [201, 201, 201, 400, 400, 400, 400, 400, 400, 400],
  );
  assert.equal(await make('elsewhere', 'business'), 201);
  const { result } = (await call(200, 'GET', `${PATH}?context=contact&limit=1`, { key })).body;
  await call(200, 'DELETE', `${PATH}/${result[0]._id}`, { key });
  assert.equal(await make('one_more'), 201);
});

test('fields are found by context and by a part of title or slug, in any case and with or without accents', async () => {
  const { key } = await platform.createCompany();
  for (const [title, context] of [
    ['Região', 'contact'],
    ['Regime', 'business'],
    ['Outro', 'contact'],
  ]) {
    await call(201, 'POST', PATH, { key, body: { title, context, type: 'TEXT' } });
  }
  const titles = async (query: string): Promise<string[]> =>
    (await call(200, 'GET', `${PATH}?sort=createdAt&${query}`, { key })).body.result.map(({ title }: Json) => title);
  assert.deepEqual(await titles('search=REGI'), ['Região', 'Regime']);
  assert.deepEqual(await titles('search=regiao'), ['Região']);
  assert.deepEqual(await titles('context=contact'), ['Região', 'Outro']);
  assert.deepEqual(await titles('context=contact&search=%25'), []);
});

test('operations on custom fields refuse callers without a token or the scope, malformed requests, and ids of another company', async () => {
  const { _id } = await define({});
  const body = { title: 'T', context: 'contact', type: 'TEXT', slug: 'refused' };
  await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'custom-fields:create', body });
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'custom-fields:read' });
  await checkRefusals(platform, { method: 'GET', path: `${PATH}/${_id}`, scope: 'custom-fields:read' });
  await checkRefusals(platform, {
    method: 'PATCH',
    path: `${PATH}/${_id}`,
    scope: 'custom-fields:update',
    body: { title: 'T' },
  });
  await checkRefusals(platform, { method: 'DELETE', path: `${PATH}/${_id}`, scope: 'custom-fields:delete' });
  const other = await platform.createCompany();
  const given = { title: 'T', context: 'contact', type: 'TEXT' };
  const theirs = (await call(201, 'POST', PATH, { key: other.key, body: given })).body._id;
  for (const [method, sent] of [['GET'], ['PATCH', { title: 'X' }], ['DELETE']] as [string, Json?][]) {
    const answer = await readRawAnswer(platform, method, `${PATH}/${theirs}`, sent);
    assert.equal(answer.status, 404);
    for (const id of [newId(), 'not-an-id'])
      assert.deepEqual(await readRawAnswer(platform, method, `${PATH}/${id}`, sent), answer);
  }
  await call(200, 'GET', `${PATH}/${theirs}`, { key: other.key });
});
