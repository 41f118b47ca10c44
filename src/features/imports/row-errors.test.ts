/** Errors of rows: the record of an import shows the first ones, and a file has all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { importSheet, postForm } from '../../../test/support/sheets.ts';

const platform = await startPlatform();
const { call, database } = platform;
const PATH = '/v1/contacts/import';

test("an import's record shows the first hundred errors in less than 80 kB, and a file has one for every failed row", async () => {
  const options = Array.from({ length: 200 }, (_, n) => `${n} ${'é'.repeat(190)}`);
  for (let n = 0; n < 3; n += 1) {
    const body = { title: `Size ${n}`, slug: `size_${n}`, context: 'contact', type: 'SELECT', options };
    await call(201, 'POST', '/v1/custom-fields', { body });
  }
  const ROWS = 1_500;
  const lines = Array.from({ length: ROWS }, (_, n) => `Ana ${n},x,y,z`);
  const file = { name: 'sizes.csv', data: `external_id,size_0,size_1,size_2\n${lines.join('\n')}\n` };
  const done = await importSheet(platform, PATH, { file, silent: 'true' });
  assert.deepEqual([done.status, done.failed_count, done.row_errors.length], ['COMPLETED', ROWS, 100]);
  assert.ok(Buffer.byteLength(JSON.stringify(done)) < 80 * 1024);
  assert.equal(done.row_errors[0].message, 'must be one of its 200 options');
  const { body: text, headers } = await call(200, 'GET', `${PATH}/${done._id}/errors`);
  assert.match(headers.get('content-type') ?? '', /^text\/csv/);
  const errorLines = String(text).trimEnd().split('\r\n');
  assert.equal(errorLines[0], 'row,field,message,line,value,stored');
  assert.deepEqual(new Set(errorLines.slice(1).map((line) => Number(line.split(',')[0]))).size, ROWS);
  assert.match(
    errorLines.at(-1) ?? '',
    new RegExp(`^${ROWS},custom_fields\\.size_2,must be one of its 200 options,${ROWS + 1},z,false$`),
  );

  const other = await platform.createCompany();
  expectProblem(await call(404, 'GET', `${PATH}/${done._id}/errors`, { key: other.key }), 'NOT_FOUND');
  await database.sql('delete from runs where _id = $1', [done._id]);
  assert.deepEqual(await database.sql('select 1 from import_errors where import_id = $1', [done._id]), []);
});

test("the errors in an import's record take at most 32 kB, and the titles of its columns at most 40 kB", async () => {
  const body = { title: 'Long', slug: 'long_option', context: 'contact', type: 'SELECT', options: ['長'.repeat(200)] };
  await call(201, 'POST', '/v1/custom-fields', { body });
  const lines = Array.from({ length: 100 }, (_, n) => `Ana ${n},x`);
  const file = { name: 'long.csv', data: `external_id,long_option\n${lines.join('\n')}\n` };
  const done = await importSheet(platform, PATH, { file, silent: 'true' });
  assert.equal(done.failed_count, 100);
  const bytes = (count: number): number => Buffer.byteLength(JSON.stringify(done.row_errors.slice(0, count)));
  const shown = done.row_errors.length;
  assert.ok(shown > 1 && shown < 100 && bytes(shown) <= 32 * 1024, `${shown} errors of ${bytes(shown)} bytes`);
  assert.ok(bytes(shown) + bytes(1) > 32 * 1024, 'another error would have fitted');

  const titles = Array.from({ length: 70 }, (_, n) => `${n}${'長'.repeat(190)}`);
  const wide = { name: 'wide.csv', data: `external_id,${titles.join(',')}\nAna\n` };
  expectProblem(await postForm(platform, [400, PATH], { file: wide }), 'VALIDATION_FAILED', 'file');
  const fitting = { name: 'fits.csv', data: `external_id,${titles.slice(0, 60).join(',')}\nAna\n` };
  await postForm(platform, [201, PATH], { file: fitting });
});
