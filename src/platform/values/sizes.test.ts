/** Size limits of all kinds of records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
const { call } = platform;

const fatList = (letter: string): string[] => Array.from({ length: 75 }, () => letter.repeat(200));

async function defineLists(context: string, count: number): Promise<string[]> {
  const slugs = Array.from({ length: count }, (_, index) => `${context}_${index}`);
  for (const slug of slugs)
    await call(201, 'POST', '/v1/custom-fields', { body: { title: slug, slug, context, type: 'LIST' } });
  return slugs;
}

test('the custom fields of one business or conversation have at most 48 kB together', async () => {
  const { conversation } = await writeAsContact(platform);
  const business = (await call(201, 'POST', '/v1/businesses', { body: { name: 'Fat' } })).body;
  for (const [context, path] of [
    ['business', `/v1/businesses/${business._id}`],
    ['conversation', `/v1/conversations/${conversation._id}`],
  ] as const) {
    const slugs = await defineLists(context, 4);
    const all = Object.fromEntries(slugs.map((slug) => [slug, fatList('x')]));
    expectProblem(
      await call(400, 'PATCH', path, { body: { custom_fields: all } }),
      'VALIDATION_FAILED',
      'custom_fields',
    );
    const { [`${context}_3`]: _last, ...fitting } = all;
    await call(200, 'PATCH', path, { body: { custom_fields: fitting } });
    expectProblem(
      await call(400, 'PATCH', path, { body: { custom_fields: all } }),
      'VALIDATION_FAILED',
      'custom_fields',
    );
    assert.equal((await call(200, 'GET', path)).body.custom_fields.length, 3);
  }
});

test('the data of one row has at most 48 kB, also after a change', async () => {
  const columns = ['a', 'b', 'c', 'd', 'e'].map((key) => ({ key, type: 'LIST' }));
  const table = (await call(201, 'POST', '/v1/tables', { body: { name: 'Fat', columns } })).body;
  const path = `/v1/tables/${table._id}/rows`;
  const data = { a: fatList('x'), b: fatList('x'), c: fatList('x'), d: fatList('x'), e: fatList('x') };
  expectProblem(await call(400, 'POST', path, { body: { data } }), 'VALIDATION_FAILED', 'data');
  const row = (await call(201, 'POST', path, { body: { data: { ...data, d: null, e: null } } })).body;
  expectProblem(
    await call(400, 'PATCH', `${path}/${row._id}`, { body: { data: { d: fatList('x') } } }),
    'VALIDATION_FAILED',
    'data',
  );
  const { body } = await call(200, 'PATCH', `${path}/${row._id}`, {
    body: { data: { a: ['short'], d: fatList('x') } },
  });
  assert.deepEqual(Object.keys(body.data), ['a', 'b', 'c', 'd']);
});

test('the definition of a table has at most 80 kB', async () => {
  const options = Array.from({ length: 200 }, (_, index) => `${index}${'長'.repeat(100)}`);
  const column = (key: string): Json => ({ key, type: 'SELECT', options });
  const columns = [column('a'), column('b')];
  expectProblem(
    await call(400, 'POST', '/v1/tables', { body: { name: 'Wide', columns } }),
    'VALIDATION_FAILED',
    'columns',
  );
  const { _id } = (await call(201, 'POST', '/v1/tables', { body: { name: 'Wide', columns: [column('a')] } })).body;
  expectProblem(await call(400, 'PATCH', `/v1/tables/${_id}`, { body: { columns } }), 'VALIDATION_FAILED', 'columns');
  // A single custom field stays below the limit.
  const field = { title: 'Wide', context: 'contact', type: 'SELECT', options };
  await call(201, 'POST', '/v1/custom-fields', { body: field });
});
