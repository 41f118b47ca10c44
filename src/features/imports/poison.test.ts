/**
 * Tests sheets that were made to block the process. Each of them causes an error of its row or of its import, and other requests do not
 * wait.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEmptyTags, makeTextsBomb } from '../../../test/support/hostile-sheets.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { awaitImport, buildForm, importSheet, listFaults, makeWorkbook } from '../../../test/support/sheets.ts';

const platform = await startPlatform();
const PATH = '/v1/contacts/import';

const imported = (name: string, data: Buffer | string): Promise<Json> =>
  importSheet(platform, PATH, { file: { name, data }, silent: 'true' });

test('a cell of 64,000 empty tags is an error of its row', async () => {
  const result = await imported('many.csv', makeEmptyTags(64_000));
  assert.deepEqual([result.status, result.failed_count, result.processed], ['COMPLETED', 1, 3]);
  assert.deepEqual(listFaults(result), [{ row: 2, field: 'tags', message: 'is larger than 32 kB' }]);
  // A list within the size limit is refused by its number of items, before its items are compared.
  const fewer = await imported('fewer.csv', makeEmptyTags(10_000));
  assert.deepEqual(listFaults(fewer), [{ row: 2, field: 'tags', message: 'must be at most 50 tags' }]);
});

test('a list in JSON with NUL or half of a surrogate pair in an item is read as a list without JSON, and no other row fails', async () => {
  const bad = [String.raw`"[""a\u0000b"",""c""]"`, String.raw`"[""\ud800""]"`];
  const result = await imported(
    'nul.csv',
    ['external_id,tags', `1,${bad[0]}`, `2,${bad[1]}`, '3,"[""d""]"'].join('\n'),
  );
  assert.deepEqual([result.status, result.created_count, result.failed_count], ['COMPLETED', 3, 0]);
});

test('a cell over 32 kB and a row over 80 kB are errors of their rows and name the column, in a CSV and in a workbook', async () => {
  const cell = 'x'.repeat(32 * 1024);
  const titles = ['name', 'external_id', 'email', 'avatar_url', 'language', 'tags'];
  const rows = [
    ['Ana', null, null, null, null, null],
    [`${cell}y`, null, null, null, null, null],
    ['Bia', `é${cell}`.slice(0, -1), null, null, null, null],
    [cell, cell, cell, cell, cell, null],
    ['Eva', null, null, null, null, 'last'],
  ];
  const csv = [titles, ...rows]
    .map((row) => row.map((each) => (each === null ? '' : `"${each}"`)).join(','))
    .join('\n');
  for (const [name, data] of [
    ['large.csv', csv],
    ['large.xlsx', makeWorkbook([titles, ...rows])],
  ] as const) {
    const done = await imported(name, data);
    assert.deepEqual([done.status, done.created_count, done.failed_count], ['COMPLETED', 2, 3], name);
    assert.deepEqual(
      done.row_errors.map(({ row, field, message }: Json) => [row, field, message]),
      [
        [2, 'name', 'is larger than 32 kB'],
        [3, 'external_id', 'is larger than 32 kB'],
        [4, null, 'the row is larger than 80 kB'],
      ],
      name,
    );
  }
});

test('workbooks whose texts inflate to 48 MB are imported, also when two companies send them at once', async () => {
  const body = buildForm({ file: { name: 'texts.xlsx', data: makeTextsBomb(48) } });
  const companies = await Promise.all([platform.createCompany(), platform.createCompany()]);
  const statuses = companies.map(async ({ key }) => {
    const response = await fetch(platform.url + PATH, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body,
    });
    const { _id } = (await response.json()) as Json;
    assert.equal(response.status, 201);
    return (await awaitImport(platform, `${PATH}/${_id}`, { key })).status as string;
  });
  assert.deepEqual(await Promise.all(statuses), ['COMPLETED', 'COMPLETED']);
});
