import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkChangelog,
  checkFirstPage,
  checkPageSize,
  checkPromises,
  compareErrors,
  compareEvents,
  compareGuarantees,
  compareScopes,
  compareSettings,
  findBrokenLinks,
  findUnknownSettings,
} from './docs-law.ts';

const ERRORS = { NOT_FOUND: { status: 404 }, CONFLICT: { status: 409 } };

test('each error code has a section with its status, and each section has a code', () => {
  const good = '# Errors\n\n### NOT_FOUND\n\n404 · Not found.\n\n### CONFLICT\n409, try again.\n';
  assert.deepEqual(compareErrors(good, ERRORS), []);
  assert.deepEqual(compareErrors(good.replace('404 ·', '400 ·'), ERRORS), [
    'docs/errors.md: NOT_FOUND answers 404, the line below its heading says 400',
  ]);
  assert.deepEqual(compareErrors('### NOT_FOUND\n\n404.\n\n### GONE\n\n410.\n', ERRORS), [
    'docs/errors.md: CONFLICT is missing',
    'docs/errors.md: GONE exists nowhere in the code',
  ]);
});

test('each event has one section, and each section has an event', () => {
  assert.deepEqual(compareEvents('### MESSAGE_SENT\n\n### MESSAGE_READ\n', ['MESSAGE_SENT', 'MESSAGE_READ']), []);
  assert.deepEqual(compareEvents('### MESSAGE_SENT\n\n### MESSAGE_SENT\n', ['MESSAGE_SENT', 'MESSAGE_READ']), [
    'docs/events.md: MESSAGE_READ is missing',
    'docs/events.md: MESSAGE_SENT appears twice',
  ]);
});

test('each setting is in .env.example, possibly as a comment, and each entry there is a setting', () => {
  assert.deepEqual(compareSettings('# Where it listens.\nPORT=3000\n# HOST=127.0.0.1\n', ['HOST', 'PORT']), []);
  assert.deepEqual(compareSettings('PORT=3000\nOLD=1\n', ['HOST', 'PORT']), [
    '.env.example: HOST is missing',
    '.env.example: OLD exists nowhere in the code',
  ]);
});

test('a document for operators and a file for deploying name only settings that exist', () => {
  const known = { settings: ['PORT', 'DATABASE_URL'], others: ['POSTGRES_USER'] };
  const good = 'Set `DATABASE_URL`.\n    PORT: 1\n    POSTGRES_USER: a\n  URL: ${DATABASE_URL:-}\nPORT=1 npm start\n';
  assert.deepEqual(findUnknownSettings('x.md', good.replace('  URL:', '  DATABASE_URL:'), known), []);
  const wrong = `${good}\`DATABASE_POOLS\` and PORTS=1 and \${OLD_NAME}\n`;
  assert.deepEqual(
    findUnknownSettings('x.md', wrong, known),
    ['URL', 'DATABASE_POOLS', 'PORTS', 'OLD_NAME'].map((name) => `x.md: ${name} is no setting`),
  );
});

test('a table of docs/scopes.md that differs from the rights of the roles in the code is reported', () => {
  const resources = new Map([
    ['contacts', ['crud']],
    ['agents', ['r']],
  ]);
  const page =
    '## Roles\n\n| Resource | What its scopes open | OWNER |\n|---|---|---|\n| `contacts` | people | crud |\n| `agents` | agents | r |\n';
  const compare = (markdown: string) => compareScopes(markdown, ['OWNER'], resources);
  assert.deepEqual(compare(page), []);
  assert.deepEqual(compare(page.replace('`agents`', '`bots`').replace('crud', 'r').replace('OWNER', 'BOSS')), [
    'docs/scopes.md: Resource | OWNER is missing',
    'docs/scopes.md: `contacts` | crud is missing',
    'docs/scopes.md: `agents` | r is missing',
    'docs/scopes.md: Resource | BOSS exists nowhere in the code',
    'docs/scopes.md: `contacts` | r exists nowhere in the code',
    'docs/scopes.md: `bots` | r exists nowhere in the code',
  ]);
});

test('the changelog has a section for unreleased changes', () => {
  assert.deepEqual(checkChangelog('# Changelog\n\n## [Unreleased]\n'), []);
  assert.equal(checkChangelog('# Changelog\n\n## 1.0.0\n').length, 1);
});

test('the README has at most 150 lines and 9,000 bytes', () => {
  assert.deepEqual(checkFirstPage('# Parley\n\nA platform.\n'), []);
  assert.equal(checkFirstPage('a\n'.repeat(150)).length, 1);
  assert.equal(checkFirstPage('é'.repeat(4_501)).length, 1);
});

const FILE = 'test/guarantees/delivery.test.ts';
const FILES = new Set([FILE, 'src/a.test.ts']);
const PAGE = 'docs/guarantees/sending.md';

test('each promise names a test file that exists, and each file under test/guarantees is named', () => {
  const good = `## Sends\n\n### Once\n\nNever twice.\n\nTests: \`${FILE}\`.\n\n### Both\n\nTests: \`src/a.test.ts\`.\n`;
  const compare = (text: string) => compareGuarantees(new Map([[PAGE, text]]), FILES);
  assert.deepEqual(compare(good), []);
  assert.deepEqual(compare(`${good}### Bare\n\nNothing.\n\n## Others\n\n### Gone\n\nTests: \`src/b.test.ts\`.\n`), [
    `${PAGE}: names no test for "Bare"`,
    `${PAGE}: src/b.test.ts does not exist`,
  ]);
  assert.deepEqual(compare('### Both\n\nTests: `src/a.test.ts`.\n'), [
    `${FILE}: is promised nowhere in docs/guarantees`,
  ]);
});

test('each proof that a promise names is one of test:full', () => {
  const pages = new Map([[PAGE, `### Kept\n\nTests: \`${FILE}\`. Proofs: \`kills\`, \`sends\`.\n`]]);
  assert.deepEqual(compareGuarantees(pages, FILES, new Set(['kills', 'sends'])), []);
  assert.deepEqual(compareGuarantees(pages, FILES, new Set(['sends'])), [`${PAGE}: test:full has no proof "kills"`]);
});

test('a page of guarantees that contains no promise is reported', () => {
  assert.deepEqual(compareGuarantees(new Map([[PAGE, '# Sending\n']]), new Set()), [`${PAGE}: promises nothing`]);
});

test('each promise of the overview links to its place in the full list and to a test', () => {
  const good = '- **Once.** [Details](guarantees/sending.md#once) · [`a.test.ts`](../src/a.test.ts)\n';
  assert.deepEqual(checkPromises(good), []);
  for (const part of ['#once', '../src/'])
    assert.deepEqual(checkPromises(good.replace(part, '')).length, 1, `a promise without ${part} is reported`);
});

test('a link to a missing file or section is reported', () => {
  const anchors = new Map([['guarantees/sending', new Map([['once', 'once']])]]);
  const exists = (path: string) => ['docs/guarantees/sending.md', 'src/a.test.ts'].includes(path);
  const find = (target: string) => findBrokenLinks('docs/guarantees.md', `[Text](${target})`, exists, anchors);
  for (const target of ['guarantees/sending.md#once', '../src/a.test.ts', 'https://example.com/x', '/docs/api'])
    assert.deepEqual(find(target), []);
  for (const target of ['guarantees/sending.md#twice', '../src/b.test.ts', 'sending.md'])
    assert.deepEqual(find(target), [`docs/guarantees.md: links to ${target}, which does not exist`]);
});

test('a page of docs/ has at most 20 kB, unless it is generated', () => {
  const page = 'é'.repeat(10 * 1024);
  assert.deepEqual(checkPageSize('docs/x.md', page), []);
  assert.deepEqual(checkPageSize('docs/x.md', `${page}.`), ['docs/x.md: has 20481 bytes; at most 20480']);
  assert.deepEqual(checkPageSize('docs/x.md', `${page}<!-- Written by npm run openapi -->`), []);
});
