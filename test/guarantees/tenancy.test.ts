import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { runMatrix } from '../full/matrix/run-matrix.ts';

const seed = readSeed();
const figures = await runMatrix('brief', seed);

function assertRowsHold(part: RegExp): void {
  const rows = figures.filter(({ name }) => part.test(name));
  assert.ok(rows.length > 0, 'the matrix has no such row');
  for (const { name, value, ok } of rows) assert.ok(ok, `${name}: ${value}`);
}

test('a request that names a record of another company gets the same bytes as for an unknown id, for callers of every kind and every field that can hold an id', (t) => {
  assertRowsHold(/^as served: (foreign is unknown|rightful requests)/);
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(figures.map(({ name, value }) => `${name} ${value}`).join(' · '));
});

test('a sheet row with the id of a record of another company is reported like a row with an unknown id, and is not stored', () => {
  assertRowsHold(/: ids in a sheet/);
});

test('a tool of the MCP server answers to the id of a record of another company as to an unknown id', () => {
  assertRowsHold(/: ids in a tool/);
});

test('a route for clients of Evolution API answers to the id of a record of another company as to an unknown id', () => {
  assertRowsHold(/: ids at the door of Evolution/);
});

test('a list shows and counts only records of its own company, with every filter, order and cursor', () => {
  assertRowsHold(/: lists/);
});

test('an unknown or read-only property or parameter is refused, and nothing is stored', () => {
  assertRowsHold(/: unknown and read-only properties/);
});

test('a key with the scope of an operation alone reads nothing that needs another scope, and is refused only for a scope that the document names', () => {
  assertRowsHold(/: one scope alone/);
});

test('a global key is invisible to companies and cannot be revoked by them, and it can itself act for every company', () => {
  assertRowsHold(/: what belongs to no company/);
});

test('log-in, forgotten password and mailed links reveal to a caller without a token neither who has an account nor why a request is refused', () => {
  assertRowsHold(/: without a token/);
});

test('private contents never appear in logs or metrics, whatever the request', () => {
  assertRowsHold(/logs and metrics/);
});

test('row-level security alone keeps each company from the records of others, with the company conditions of all statements removed', () => {
  assertRowsHold(/^RLS alone/);
});

test('the company conditions of all statements and keys alone keep each company from the records of others, even when row-level security lets every row through', () => {
  assertRowsHold(/^predicates alone/);
});

test('the tenancy matrix detects a leak in each tried operation that names a record when all protections are removed', () => {
  assertRowsHold(/^without any wall/);
});
