/** The largest size of a contact, by whichever operation its values come. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { importSheet } from '../../../test/support/sheets.ts';

const platform = await startPlatform();
const { call, database } = platform;
const PATH = '/v1/contacts';

const fields: Json[] = [];
for (let index = 0; index < 200; index += 1) {
  const body = { title: `Fat ${index}`, slug: `fat_${index}`, context: 'contact', type: 'LIST' };
  fields.push((await call(201, 'POST', '/v1/custom-fields', { body })).body);
}
/** Custom field values of about 15 kB each. */
const largeValues = (from: number, to: number): Json =>
  Object.fromEntries(
    fields.slice(from, to).map(({ slug }) => [slug, Array.from({ length: 75 }, () => 'x'.repeat(200))]),
  );
const create = async (body: Json): Promise<Json> => (await call(201, 'POST', PATH, { body })).body;

test('a contact has at most 48 kB of custom field values, however many writes they come in', async () => {
  const refused = await call(400, 'POST', PATH, { body: { name: 'Fat', custom_fields: largeValues(0, 40) } });
  expectProblem(refused, 'VALIDATION_FAILED', 'custom_fields');
  const { _id } = await create({ name: 'Fat', custom_fields: largeValues(0, 3) });
  expectProblem(
    await call(400, 'PATCH', `${PATH}/${_id}`, { body: { custom_fields: largeValues(3, 4) } }),
    'VALIDATION_FAILED',
    'custom_fields',
  );
  const kept = (await call(200, 'GET', `${PATH}/${_id}`)).body;
  assert.deepEqual(
    kept.custom_fields.map(({ slug }: Json) => slug),
    ['fat_0', 'fat_1', 'fat_2'],
  );
});

test('the size of a contact is counted in bytes and not in characters', async () => {
  const wide = Object.fromEntries(
    fields.slice(0, 2).map(({ slug }) => [slug, Array.from({ length: 100 }, () => '長'.repeat(200))]),
  );
  const refused = await call(400, 'POST', PATH, { body: { name: 'Wide', custom_fields: wide } });
  expectProblem(refused, 'VALIDATION_FAILED', 'custom_fields');
});

test('a contact has at most 80 kB, including the names of its fields, and one that has grown by longer names may change and shrink', async () => {
  const rename = async (titleFor: (field: Json) => string): Promise<void> => {
    for (const field of fields)
      await call(200, 'PATCH', `/v1/custom-fields/${field._id}`, { body: { title: titleFor(field) } });
  };
  const values = Object.fromEntries(fields.map(({ slug }) => [slug, ['x'.repeat(200)]]));
  const { _id } = await create({ name: 'Grown', custom_fields: values });
  await rename(({ slug }) => slug + '長'.repeat(180));
  const refused = await call(400, 'POST', PATH, { body: { name: 'Named', custom_fields: values } });
  expectProblem(refused, 'VALIDATION_FAILED', 'custom_fields');
  assert.match(refused.body.detail, /80 kB/);
  const change = (body: Json, status: 200 | 400): Promise<Json> => call(status, 'PATCH', `${PATH}/${_id}`, { body });
  await change({ tags: ['known'] }, 400);
  await change({ name: 'G' }, 200);
  await change({ custom_fields: { fat_0: null }, tags: ['known'] }, 200);
  await rename(({ slug }) => slug);
});

test('two contacts whose values are too large together are not merged, and both stay unchanged', async () => {
  const target = await create({ name: 'Target', custom_fields: largeValues(0, 2) });
  const source = await create({ name: 'Source', custom_fields: largeValues(2, 4) });
  const refused = await call(400, 'POST', `${PATH}/${target._id}/merge`, { body: { contact: source._id } });
  expectProblem(refused, 'VALIDATION_FAILED', 'custom_fields');
  assert.equal((await call(200, 'GET', `${PATH}/${source._id}`)).body.custom_fields.length, 2);
  await call(200, 'PATCH', `${PATH}/${source._id}`, { body: { custom_fields: { fat_3: null } } });
  const merged = (await call(201, 'POST', `${PATH}/${target._id}/merge`, { body: { contact: source._id } })).body;
  assert.equal(merged.custom_fields.length, 3);
});

test('rows of a sheet that would make a contact too large are reported, and the others are stored', async () => {
  const known = await create({ name: 'Known', external_id: 'known', custom_fields: largeValues(0, 3) });
  const cell = Array.from({ length: 75 }, (_, item) => String(item).padEnd(190, 'z')).join(';');
  const columns = [4, 5, 6, 7].map((index) => `fat_${index}`);
  const lines = [
    ['name', 'external_id', ...columns],
    ['New and fat', 'new', cell, cell, cell, cell],
    ['Known', 'known', cell, '', '', ''],
    ['Sound', 'sound', 'short', '', '', ''],
    ['Twice', 'twice', cell, cell, '', ''],
    ['Twice', 'twice', '', '', cell, cell],
  ].map((line) => line.join(','));
  const done = await importSheet(platform, `${PATH}/import`, {
    file: { name: 'fat.csv', data: lines.join('\r\n') },
  });
  assert.equal(done.status, 'COMPLETED');
  assert.deepEqual([done.processed, done.created_count, done.updated_count, done.failed_count], [5, 2, 0, 3]);
  assert.deepEqual(
    done.row_errors.map(({ row, field }: Json) => [row, field]),
    [1, 2, 5].map((row) => [row, 'custom_fields']),
  );
  assert.equal((await call(200, 'GET', `${PATH}/${known._id}`)).body.custom_fields.length, 3);
  const names = await database.sql<{ value: string }>(
    `select value from contact_identities where value in ('new', 'sound', 'twice') order by value`,
  );
  assert.deepEqual(
    names.map(({ value }) => value),
    ['sound', 'twice'],
  );
});
