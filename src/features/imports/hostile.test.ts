/** Malicious or too large sheets are refused in the request, or end FAILED with the reason, and are never imported in part. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
  makeZipBomb,
  importSheet,
  postForm,
  makeWorkbookParts,
  makeWorkbook,
  makeZip,
} from '../../../test/support/sheets.ts';

const platform = await startPlatform();
const { database } = platform;
const PATH = '/v1/contacts/import';

const people = async (): Promise<number> => {
  const [row] = await database.sql<{ n: number }>('select count(*)::int as n from contacts');
  return row?.n ?? -1;
};
const failed = async (name: string, data: Buffer | string): Promise<Json> => {
  const before = await people();
  const done = await importSheet(platform, PATH, { file: { name, data }, silent: 'true' });
  assert.equal(done.status, 'FAILED');
  assert.deepEqual([done.processed, done.created_count, await people()], [0, 0, before]);
  assert.deepEqual(await database.sql('select 1 from import_chunks where import_id = $1', [done._id]), []);
  return done.error;
};
const withSheet = (change: object): Buffer =>
  makeZip(
    makeWorkbookParts([['name'], ['Ana']]).map((item) =>
      item.path.endsWith('sheet2.xml') ? { ...item, ...change } : item,
    ),
  );

test('a file that is no sheet, or a zip bomb, is refused in the request and not stored', async () => {
  const files: [string, Buffer, RegExp][] = [
    ['bomb.xlsx', withSheet({ packed: makeZipBomb(200) }), /100 times/],
    ['liar.xlsx', withSheet({ packed: makeZipBomb(50), claims: { inflated: 900 } }), /broken workbook/],
    ['dtd.xlsx', withSheet({ data: '<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>' }), /document type/],
    ['nested.xlsx', makeZip([{ path: 'inner.xlsx', data: makeWorkbook([['name']]) }]), /no workbook/],
    ['picture.csv', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), /neither CSV nor XLSX/],
    ['odd.csv', Buffer.from('nam\x8d\nJos\xe9', 'latin1'), /neither UTF-8 nor Windows-1252/],
    ['nul.csv', Buffer.from('name\nJo\0'), /neither CSV nor XLSX/],
  ];
  for (const [name, data, reason] of files) {
    const { body } = await postForm(platform, [400, PATH], { file: { name, data } });
    assert.equal(body.errors[0].path, 'file', name);
    assert.match(body.errors[0].message, reason);
  }
  assert.deepEqual(await database.sql('select 1 from runs'), []);
});

test('an error at the end of a sheet is found before its first rows are imported', async () => {
  const good = 'Ana\n'.repeat(90_000);
  assert.match(
    (await failed('late.csv', Buffer.concat([Buffer.from(`external_id\né\n${good}`), Buffer.from([0xe9])]))).message,
    /not UTF-8/,
  );
  assert.match((await failed('nul.csv', `external_id\n${good}A\0`)).message, /NUL/);
  const rows = Array.from({ length: 20_000 }, (_, n) => `<row><c t="str"><v>Ana ${n}</v></c></row>`).join('');
  const head = '<worksheet><row><c t="str"><v>external_id</v></c></row>';
  assert.match((await failed('late.xlsx', withSheet({ data: `${head}${rows}<row>` }))).message, /broken XML/);
});

test('a sheet of a million rows is refused for its number of rows, without importing any of them', async () => {
  const error = await failed('million.csv', `external_id\n${'Ana\n'.repeat(1_000_000)}`);
  assert.equal(error.code, 'TOO_MANY_ROWS');
  assert.match(error.message, /more than 100000 rows/);
});

test('an import of a sheet with a header and no rows is complete at once', async () => {
  const done = await importSheet(platform, PATH, { file: { name: 'head.csv', data: 'name,email\n' } });
  assert.deepEqual([done.status, done.total, done.processed], ['COMPLETED', 0, 0]);
});
