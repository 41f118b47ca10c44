/**
 * Tests sheets that were made to block the process. Each of them causes an error of its row or of its import, and other requests do not
 * wait.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeEmptyTags, makeTextsBomb } from '../../../test/support/hostile-sheets.ts';
import { createHurriedReaders } from '../../../test/support/hurried-readers.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
  awaitImport,
  buildForm,
  importSheet,
  listFaults,
  postForm,
  makeWorkbook,
} from '../../../test/support/sheets.ts';
import { contactImporter } from '../contacts/import/importer.ts';
import { workOnImport, type RowImporter } from './work.ts';

const platform = await startPlatform();
const { database } = platform;
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

test('a row that takes its reader too long is an error of that row, and the rows after it are imported', async () => {
  const readers = createHurriedReaders(new URL('../../../test/support/hanging-reader.ts', import.meta.url));
  after(() => readers.close());
  await database.sql(`create function hold() returns trigger language plpgsql as
    $$ begin new.is_waiting = false; return new; end $$`);
  await database.sql('create trigger held before insert on imports for each row execute function hold()');
  const data = 'name,external_id\nAna,slow-1\n\nhang,slow-2\nBia,slow-3\nEva,slow-4\n';
  const { body } = await postForm(platform, [201, PATH], { file: { name: 'slow.csv', data }, silent: 'true' });
  await database.sql('drop function hold cascade');
  await workOnImport(
    { ...platform.running.kit, readers },
    { company: platform.demo._id, import: body._id },
    { importer: contactImporter as RowImporter, signal: new AbortController().signal, isOver: async () => false },
  );
  const done = await awaitImport(platform, `${PATH}/${body._id}`);
  assert.deepEqual([done.status, done.created_count, done.failed_count], ['COMPLETED', 3, 1]);
  assert.deepEqual(listFaults(done), [{ row: 3, field: null, message: 'takes too long to read' }]);
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
