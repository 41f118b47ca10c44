import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('no installed spreadsheet reader trusts the sizes that a file declares (defect 13)', () => {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    packages: object;
  };
  const names = Object.keys(lock.packages).map((path) => path.split('node_modules/').at(-1));
  assert.ok(names.length > 100);
  assert.deepEqual(
    names.filter((name) => name === 'xlsx' || name === 'exceljs'),
    [],
  );
});

test('a failed test is not retried: neither the runner nor the npm scripts ask for a repetition (defect 16)', () => {
  for (const file of ['scripts/test.ts', 'package.json', '.ci/run']) {
    assert.doesNotMatch(
      readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'),
      /retr(y|ies)|rerun|--test-rerun/i,
      file,
    );
  }
});
