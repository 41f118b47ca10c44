import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runMatrix } from '../full/matrix/run-matrix.ts';

const figures = await runMatrix('small');

function check(part: RegExp): void {
  const rows = figures.filter(({ name }) => part.test(name));
  assert.ok(rows.length > 0, 'the matrix has no such row');
  for (const { name, value, ok } of rows) assert.ok(ok, `${name}: ${value}`);
}

test("another company's record is answered like one that does not exist, byte by byte, whoever asks and wherever its id stands", (t) => {
  check(/^as served: (foreign is unknown|rightful requests)/);
  t.diagnostic(figures.map(({ name, value }) => `${name} ${value}`).join(' · '));
});

test("an id in the cell of a sheet that is another company's is told of like one that does not exist, and its row is not stored", () => {
  check(/: ids in a sheet/);
});

test('a list holds and counts records of its own company alone, under every filter, order and cursor', () => {
  check(/: lists/);
});

test('a property or parameter that is unknown or read-only is refused, and nothing is stored', () => {
  check(/: unknown and read-only properties/);
});

test('a global key is shown to no company and revoked by none, and sees every company itself', () => {
  check(/: what belongs to no company/);
});

test('who has no token learns nothing at log-in, at a forgotten password or at a link: not who is there, and not why it is refused', () => {
  check(/: without a token/);
});

test('what is private stands in no log and no metric, whatever is asked', () => {
  check(/logs and metrics/);
});

test('companies stay apart with every statement under row-level security', () => {
  check(/^every statement under RLS/);
});

test('row-level security alone keeps companies apart: no statement says whose rows it means', () => {
  check(/^RLS alone/);
});

test('predicates and keys alone keep companies apart: row-level security lets everything through', () => {
  check(/^predicates alone/);
});

test('with no wall left every operation that names a record is seen to leak', () => {
  check(/^without any wall/);
});
