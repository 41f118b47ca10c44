/**
 * Tests sheets that were made to block the process. Each of them causes an error of its row or of its import, and other requests do not
 * wait.
 */
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, test } from 'node:test';
import { makeEmptyTags, makeTextsBomb } from '../../../test/support/hostile-sheets.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { listDescendants } from '../../../test/support/process.ts';
import { awaitImport, buildForm, importSheet, postForm, makeWorkbook } from '../../../test/support/sheets.ts';
import { readFile } from 'node:fs/promises';
import { createReaders } from '../../platform/child-readers.ts';
import { contactImporter } from '../contacts/import/importer.ts';
import { workOnImport, type RowImporter } from './work.ts';

const platform = await startPlatform();
const { database } = platform;
const PATH = '/v1/contacts/import';

const imported = (name: string, data: Buffer | string): Promise<Json> =>
  importSheet(platform, PATH, { file: { name, data }, silent: 'true' });

/** Returns the longest time for which the event loop was blocked during the work. */
async function longestStop<T>(work: () => Promise<T>): Promise<{ result: T; stopMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const result = await work();
  delay.disable();
  return { result, stopMs: delay.max / 1e6 };
}

test('a cell of 64,000 empty tags is an error of its row, and blocks nobody', async () => {
  await imported('warm.csv', makeEmptyTags(2));
  const harmless = await longestStop(() => imported('few.csv', makeEmptyTags(2)));
  const { result, stopMs } = await longestStop(() => imported('many.csv', makeEmptyTags(64_000)));
  assert.deepEqual([result.status, result.failed_count, result.processed], ['COMPLETED', 1, 3]);
  assert.deepEqual(result.row_errors, [{ row: 2, field: 'tags', message: 'is larger than 32 kB' }]);
  // A list within the size limit is refused by its number of items, before its items are compared.
  const { result: fewer } = await longestStop(() => imported('fewer.csv', makeEmptyTags(10_000)));
  assert.deepEqual(fewer.row_errors, [{ row: 2, field: 'tags', message: 'must be at most 50 tags' }]);
  assert.ok(stopMs < 10 * harmless.stopMs + 2_000, `${stopMs} ms, ${harmless.stopMs} ms without it`);
});

test('a cell over 32 kB and a row over 128 kB are errors of their rows and name the column, in a CSV and in a workbook', async () => {
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
        [4, null, 'the row is larger than 128 kB'],
      ],
      name,
    );
  }
});

test('a row that takes its reader too long is an error of that row, and the rows after it are imported', async () => {
  const readers = createReaders(new URL('../../../test/support/hanging-reader.ts', import.meta.url), 0);
  after(() => readers.close());
  await database.sql(`create function hold() returns trigger language plpgsql as
    $$ begin new.held_until = 'infinity'; return new; end $$`);
  await database.sql('create trigger held before insert on imports for each row execute function hold()');
  const data = 'name,external_id\nAna,slow-1\n\nhang,slow-2\nBia,slow-3\nEva,slow-4\n';
  const { body } = await postForm(platform, [201, PATH], { file: { name: 'slow.csv', data }, silent: 'true' });
  await database.sql('drop function hold cascade');
  const { stopMs } = await longestStop(() =>
    workOnImport(
      { ...platform.running.kit, readers },
      { company: platform.demo._id, import: body._id },
      { importer: contactImporter as RowImporter, signal: new AbortController().signal, isOver: async () => false },
    ),
  );
  const done = await awaitImport(platform, `${PATH}/${body._id}`);
  assert.deepEqual([done.status, done.created_count, done.failed_count], ['COMPLETED', 3, 1]);
  assert.deepEqual(done.row_errors, [{ row: 3, field: null, message: 'takes too long to read' }]);
  // This row alone kept its reader process busy for seconds.
  assert.ok(stopMs < 2_000, `${stopMs} ms`);
});

test('six companies that at once send workbooks whose texts inflate to 48 MB each cost this process hardly any memory', async (t) => {
  const COUNT = 6;
  const body = buildForm({ file: { name: 'texts.xlsx', data: makeTextsBomb(48) } });
  const companies = await Promise.all(Array.from({ length: COUNT }, () => platform.createCompany()));
  await imported('warm.csv', 'name\nAna\n');
  const before = process.memoryUsage().rss;
  const most = { own: 0, readers: 0, inReaders: 0 };
  const look = async (): Promise<void> => {
    const sizes = (await Promise.all(listDescendants(process.pid).map(readerBytes))).filter((size) => size > 0);
    most.own = Math.max(most.own, process.memoryUsage().rss - before);
    most.readers = Math.max(most.readers, sizes.length);
    most.inReaders = Math.max(
      most.inReaders,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  };
  const timer = setInterval(() => void look(), 50);
  t.after(() => clearInterval(timer));
  const answers = await Promise.all(
    companies.map(async ({ key }) => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(platform.url + PATH, { method: 'POST', headers, body });
      return { key, status: response.status, import: ((await response.json()) as Json)._id as string };
    }),
  );
  // A request that would wait too long for a reader is answered 503.
  assert.deepEqual(
    answers.filter(({ status }) => status !== 201 && status !== 503),
    [],
  );
  const taken = answers.filter(({ status }) => status === 201);
  assert.ok(taken.length > 0);
  for (const { key, import: id } of taken) {
    const { status } = await awaitImport(platform, `${PATH}/${id}`, { key });
    assert.equal(status, 'COMPLETED');
  }
  clearInterval(timer);
  const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
  const measured = `this process grew by ${megabytes(most.own)} MB, ${most.readers} readers had ${megabytes(most.inReaders)} MB`;
  assert.ok(most.own < 192 * 1024 * 1024, measured);
  assert.ok(most.readers <= 8 && most.inReaders < most.readers * 192 * 1024 * 1024, measured);
});

/** The memory of a process that reads sheets; 0 for any other process. */
async function readerBytes(pid: number): Promise<number> {
  // Failure policy: a process that has ended in the meantime counts as 0.
  const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  if (!(await read('cmdline')).includes('file-reader')) return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(await read('status'))?.[1] ?? 0) * 1024;
}
