import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseContracts, chooseTests } from './changed.ts';

const SOURCES: Record<string, string> = {
  'src/api.ts': `import { list } from './features/contacts/list.ts'; export const routes = [list];`,
  'src/platform/store/db.ts': 'export const one = 1;',
  'src/platform/store/db.test.ts': '',
  'src/platform/other.test.ts': '',
  'src/features/contacts/queries.ts': `import { one } from '../../platform/store/db.ts'; export const find = one;`,
  'src/features/contacts/list.ts': `import { find } from './queries.ts'; export const list = find;`,
  'src/features/contacts/export.ts': 'export const write = 1;',
  'src/features/contacts/list.test.ts': '',
  'src/features/merges/merges.ts': `import { list } from '../contacts/list.ts'; export const merge = list;`,
  'src/features/merges/merges.test.ts': '',
  'src/features/webhooks/webhooks.ts': `import type { list } from '../contacts/list.ts'; export type X = typeof list;`,
  'src/features/webhooks/webhooks.test.ts': '',
  'test/support/platform.ts': `import { routes } from '../../src/api.ts'; export const start = routes;`,
  'test/contract/guides.test.ts': `import { readFileSync } from 'node:fs'; readFileSync('docs/events.md', 'utf8');`,
  'test/contract/queries.test.ts': '',
  'test/contract/catalogue.test.ts': '',
  'migrations/0001_contacts.sql': 'create table contacts ();',
  'sql/contacts.sql': 'create trigger inserted after insert on contacts execute function f();',
};
const files = Object.entries(SOURCES).map(([path, text]) => ({ path, text }));
const choose = (...changed: string[]): string[] =>
  chooseTests(files, changed)
    .map(({ test: path }) => path)
    .toSorted();

test('a changed file selects the tests of its feature folder and of the features that use it', () => {
  assert.deepEqual(choose('src/features/contacts/list.ts'), [
    'src/features/contacts/list.test.ts',
    'src/features/merges/merges.test.ts',
  ]);
});

test('a changed file that no other feature uses selects only the tests of its own feature', () => {
  assert.deepEqual(choose('src/features/contacts/export.ts'), ['src/features/contacts/list.test.ts']);
});

test('a changed platform file selects its own test and the tests of all features that use it, directly or through other files', () => {
  assert.deepEqual(choose('src/platform/store/db.ts'), [
    'src/features/contacts/list.test.ts',
    'src/features/merges/merges.test.ts',
    'src/platform/store/db.test.ts',
  ]);
});

test('the reason for a selected test names each file between the changed file and the test', () => {
  const [chosen] = chooseTests(files, ['src/features/contacts/queries.ts']).filter(({ test: path }) =>
    path.includes('merges'),
  );
  assert.equal(
    chosen?.why,
    'src/features/merges/merges.ts uses src/features/contacts/list.ts; src/features/contacts/list.ts uses ' +
      'src/features/contacts/queries.ts, which changed',
  );
});

test('a changed test, a changed document that a test reads, and a removed file select tests', () => {
  assert.deepEqual(choose('src/platform/other.test.ts'), ['src/platform/other.test.ts']);
  assert.deepEqual(choose('docs/events.md'), ['test/contract/guides.test.ts']);
  assert.deepEqual(choose('src/features/merges/gone.ts'), ['src/features/merges/merges.test.ts']);
  assert.deepEqual(choose('README.md'), []);
});

test('a changed migration or function selects the tests of the database catalogue, of the statements, and of the features whose tables it names', () => {
  for (const path of ['migrations/0001_contacts.sql', 'sql/contacts.sql'])
    assert.deepEqual(choose(path), [
      'src/features/contacts/list.test.ts',
      'test/contract/catalogue.test.ts',
      'test/contract/queries.test.ts',
    ]);
});

test('the quick check runs the contract tests that read a changed declaration', () => {
  const names = (path: string) => chooseContracts([path]).map(({ test: file }) => file.split('/').at(-1));
  assert.deepEqual(names('src/features/contacts/routes.ts'), ['examples.test.ts', 'openapi.test.ts']);
  assert.deepEqual(names('src/channels/email/index.ts'), ['channels.test.ts']);
  assert.deepEqual(names('src/features/contacts/list-queries.ts'), ['queries.test.ts']);
  assert.deepEqual(names('src/features/contacts/list.ts'), []);
});
