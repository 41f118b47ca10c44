import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTasteViolations } from './check-taste.ts';

const judge = (path: string, text: string) => findTasteViolations({ path, text }).map(({ sentence }) => sentence);

test('a source file may have at most 300 lines, and a test file any number', () => {
  assert.deepEqual(judge('src/platform/values/ids.ts', '\n'.repeat(300)), []);
  assert.deepEqual(judge('src/platform/values/ids.ts', '\n'.repeat(301)), ['has 301 lines; 300 is the most']);
  assert.deepEqual(judge('src/platform/ids.test.ts', '\n'.repeat(301)), []);
});

test('a meaningless name of a file or folder is reported', () => {
  for (const name of ['utils', 'helpers', 'date-utils', 'common', 'inbox-manager', 'base', 'base-channel']) {
    assert.equal(judge(`src/platform/${name}.ts`, '').length, 1, name);
  }
  assert.equal(judge('test/helpers/server.ts', '').length, 1);
  assert.deepEqual(judge('src/platform/base64.ts', ''), []);
});

test('a file that only re-exports what others export is reported', () => {
  assert.deepEqual(judge('src/ai/index.ts', "export { a } from './a.ts';\nexport * from './b.ts';\n").length, 1);
  assert.deepEqual(judge('src/ai/index.ts', "export { a } from './a.ts';\nexport const b = 1;\n"), []);
});
