import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('a test that fails is not tried again: the runner and the npm scripts ask for no repetition (defect 16)', () => {
  for (const file of ['scripts/test.ts', 'package.json', '.ci/run']) {
    assert.doesNotMatch(
      readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'),
      /retr(y|ies)|rerun|--test-rerun/i,
      file,
    );
  }
});
