import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runMatrix } from '../full/matrix/run-matrix.ts';

const figures = await runMatrix('small');

function check(part: RegExp): void {
  const rows = figures.filter(({ name }) => part.test(name));
  assert.ok(rows.length > 0, 'the matrix has no such row');
  for (const { name, value, ok } of rows) assert.ok(ok, `${name}: ${value}`);
}

test("another company's record is answered like one that does not exist, byte by byte, for every caller and at every place of its id", (t) => {
  check(/^as served: (foreign is unknown|rightful requests)/);
  t.diagnostic(figures.map(({ name, value }) => `${name} ${value}`).join(' · '));
});

test('an id of another company in a sheet is reported like one that does not exist, and its row is not stored', () => {
  check(/: ids in a sheet/);
});

test('a list shows and counts only records of its own company, with every filter, order and cursor', () => {
  check(/: lists/);
});

test('an unknown or read-only property or parameter is refused, and nothing is stored', () => {
  check(/: unknown and read-only properties/);
});

test('a global key is invisible to companies and can not be revoked by them, and it can itself act for every company', () => {
  check(/: what belongs to no company/);
});

test('a caller without a token learns nothing at log-in, at a forgotten password or at a link: neither who has an account, nor why it is refused', () => {
  check(/: without a token/);
});

test('private contents never appear in logs or metrics, whatever the request', () => {
  check(/logs and metrics/);
});

test('companies stay apart while row-level security checks every statement', () => {
  check(/^every statement under RLS/);
});

test('row-level security alone keeps companies apart, with the company conditions of all statements removed', () => {
  check(/^RLS alone/);
});

test('predicates and keys alone keep companies apart, even when row-level security lets every row through', () => {
  check(/^predicates alone/);
});

test('without any protection, the matrix detects a leak in every operation that names a record', () => {
  check(/^without any wall/);
});
