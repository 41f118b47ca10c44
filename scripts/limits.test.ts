import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMIT_TOPICS, type DeclaredLimit } from '../src/platform/values/limits.ts';
import { integer } from '../src/platform/values/setting-kinds.ts';
import { findLimitViolations, type Tuning } from './limit-law.ts';
import { replaceLimitTables } from './limit-tables.ts';

const PATH = 'src/features/notes/schemas.ts';
const judge = (text: string, ...tuning: Tuning[]) =>
  findLimitViolations([{ path: PATH, text }], tuning).map(({ line, sentence }) => [line, sentence.split(' ')[0]]);

test('a number that is named like a limit and not declared is reported', () => {
  for (const name of ['MAX_NOTES', 'MOST', 'LONGEST_MS', 'KEPT_MAX_BYTES', 'BODY_LIMIT', 'LIMIT']) {
    assert.deepEqual(judge(`\nexport const ${name} = 4 * 1024;\n`), [[2, name]], name);
    assert.deepEqual(judge(`const ${name} = declareLimit(4 * 1024, { what: 'Notes' });\n`), [], name);
  }
  assert.deepEqual(judge('const MAX_BYTES = { IMAGE: 5 * KB } as const;'), [[1, 'MAX_BYTES']]);
  assert.deepEqual(judge('function f() {\n  const MOST = -1;\n}'), [[2, 'MOST']]);
});

test('a name that is not one of a limit, or that has no number of its own, is not reported', () => {
  for (const text of ['const NOTES = 50;', 'const most = 50;', 'const ALMOST = 50;', 'const UNLIMITED = -1;'])
    assert.deepEqual(judge(text), [], text);
  for (const value of ["'limit'", 'MAX_OTHER', 'LIFE.most', 'Math.max(1, 2)', '/a{1,9}/', '{ most: MAX_OTHER }'])
    assert.deepEqual(judge(`const MAX_NOTES = ${value};`), [], value);
});

test('a limit in the list of tuning is not reported, and a name in this list that is no such limit is', () => {
  const tuning = { reason: 'Nobody has so many.', constants: { 'features/notes/schemas.ts': 'MAX_NOTES MAX_GONE' } };
  assert.deepEqual(judge('const MAX_NOTES = 50;', tuning), [[1, 'src/features/notes/schemas.ts']]);
});

const SECTION = (name: string): string => `<!-- Written by npm run limits: ${name} -->\nold\n<!-- End -->\n`;
const PAGE = LIMIT_TOPICS.map(SECTION).join('');
const settings = { NOTES: integer(2_000, 1, 10_000), QUOTA: { fallback: null, parse: Number } };
const writeRows = (limits: DeclaredLimit[], page = PAGE): string[] =>
  replaceLimitTables(page, { limits, settings, further: new Map() })
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:What|---)/.test(line));

test('a row has the value in its unit, and the setting that changes it with its default', () => {
  const values: [Partial<DeclaredLimit>, string][] = [
    [{ value: 4_096, unit: 'characters' }, '4,096 characters'],
    [{ value: 48 * 1024, unit: 'bytes' }, '48 kB'],
    [{ value: 30 * 1024 * 1024, unit: 'bytes' }, '30 MB'],
    [{ value: 1_000, unit: 'bytes' }, '1,000 bytes'],
    [{ value: 200, unit: 'ms' }, '200 ms'],
    [{ value: 60, unit: 'seconds' }, '60 s'],
    [{ value: 900, unit: 'seconds' }, '15 minutes'],
    [{ value: 3_600_000, unit: 'ms' }, '1 hour'],
    [{ value: 24, unit: 'hours' }, '24 hours'],
    [{ value: 129_600, unit: 'minutes' }, '90 days'],
    [{ value: 0.8, unit: 'percent' }, '80 %'],
    [{ value: 0.1, unit: 'perSecond' }, '6 per minute'],
    [{ value: null, setting: 'NOTES' }, '2,000 (`NOTES`)'],
    [{ value: null, setting: 'QUOTA', unit: 'bytes' }, 'none (`QUOTA`)'],
  ];
  for (const [limit, written] of values) {
    const rows = writeRows([{ topic: 'Records', what: 'Notes', beyond: '400', value: 1, ...limit }]);
    assert.deepEqual(rows, [`| Notes | ${written} | 400 |`]);
  }
});

test('limits and sections of the page that do not belong together are an error', () => {
  const limit: DeclaredLimit = { topic: 'Records', what: 'Notes', beyond: '400', value: 1 };
  assert.throws(() => writeRows([limit], PAGE.replace(SECTION('Records'), '')), /no section for Records/);
  assert.throws(() => writeRows([limit], PAGE + SECTION('Notes')), /a section "Notes"/);
  assert.throws(() => writeRows([limit, limit]), /two limits of Records/);
  assert.throws(() => writeRows([{ ...limit, setting: 'GONE' }]), /GONE/);
});
