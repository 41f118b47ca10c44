import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkChangelog,
  compareErrors,
  compareEvents,
  compareGuarantees,
  compareScopes,
  compareSettings,
  findUnknownSettings,
} from './docs-law.ts';
import { readTestTitles } from './test-titles.ts';

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
    'docs/events.md: MESSAGE_SENT stands there twice',
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

test('each resource is listed with its scopes and roles, and is marked "to come" exactly as long as no operation uses it', () => {
  const resources = new Map([
    ['contacts', { rights: ['crud'], served: true }],
    ['agents', { rights: ['r'], served: false }],
  ]);
  const page = (contacts: string, agents: string) =>
    '## Scopes\n\n| Resource | What its scopes open |\n|---|---|\n' +
    `| \`contacts\` | ${contacts} |\n| \`agents\` | ${agents} |\n\n` +
    '## Roles\n\n| Resource | OWNER |\n|---|---|\n| `contacts` | crud |\n| `agents` | r |\n';
  const compare = (markdown: string) => compareScopes(markdown, ['OWNER'], resources);
  assert.deepEqual(compare(page('contacts', 'to come')), []);
  assert.deepEqual(compare(page('to come', 'agents')), [
    'docs/authentication.md, Scopes: `contacts` is served, and not to come',
    'docs/authentication.md, Scopes: `agents` is still to come',
  ]);
  assert.deepEqual(compare(page('contacts', 'to come').replaceAll('agents', 'bots').replace('crud', 'r')), [
    'docs/authentication.md, Scopes: lacks "`agents`"',
    'docs/authentication.md, Scopes: has "`bots`", which the code does not',
    'docs/authentication.md, Roles: lacks "`contacts` | crud"',
    'docs/authentication.md, Roles: lacks "`agents` | r"',
    'docs/authentication.md, Roles: has "`contacts` | r", which the code does not',
    'docs/authentication.md, Roles: has "`bots` | r", which the code does not',
  ]);
});

test('the changelog has a section for unreleased changes', () => {
  assert.deepEqual(checkChangelog('# Changelog\n\n## [Unreleased]\n'), []);
  assert.equal(checkChangelog('# Changelog\n\n## 1.0.0\n').length, 1);
});

const FILE = 'test/guarantees/delivery.test.ts';
const readTitles = (text: string) => new Map([[FILE, readTestTitles(FILE, text)]]);

test('each promise names an existing test, in a list or in a table', () => {
  const titles = readTitles("test('an event is sent once', () => {}); suite('s', () => { it('a | b', () => {}); });");
  const asList = `- Once.\n  test: ${FILE} › an event\n  is sent once\n- Both. \`test: ${FILE} › a | b\`\n`.replace(
    'a | b',
    'a \\| b',
  );
  const asTable = `| Promise | Proof |\n|---|---|\n| Once | test: ${FILE} › an event is sent once<br>\`test: ${FILE} › a \\| b\` |\n`;
  assert.deepEqual(compareGuarantees(asList, titles), []);
  assert.deepEqual(compareGuarantees(asTable, titles), []);
});

test('a promise without a test, with an unknown file or title, or with a skipped test is reported', () => {
  const titles = readTitles(
    "test('real', () => {}); test.skip('later', () => {}); test('off', { skip: 'why' }, () => {});",
  );
  const promises = [
    `- Real. test: ${FILE} › real`,
    '- Nothing behind it.',
    '- Gone. test: test/gone.test.ts › real',
    `- Renamed. test: ${FILE} › Real`,
    `- Later. test: ${FILE} › later`,
    `- Off. test: ${FILE} › off`,
  ];
  const sentences = compareGuarantees(promises.join('\n'), titles);
  assert.equal(sentences.length, 5);
  for (const part of ['"- Nothing behind it."', 'test/gone.test.ts', '"Real"', 'skips "later"', 'skips "off"']) {
    assert.ok(
      sentences.some((sentence) => sentence.includes(part)),
      part,
    );
  }
});

test('each test under test/guarantees is named by a promise', () => {
  const titles = readTitles("test('kept', () => {}); test('silent', () => {});");
  assert.deepEqual(compareGuarantees(`- Kept. test: ${FILE} › kept\n`, titles), [
    `${FILE}: "silent" is promised nowhere in docs/guarantees.md`,
  ]);
});

test('each proof that a promise names is one of test:full', () => {
  const titles = readTitles("test('kept', () => {});");
  const promise = `- Kept.\n  \`proof: kills\`\n  \`test: ${FILE} › kept\`\n`;
  assert.deepEqual(compareGuarantees(promise, titles, new Set(['kills'])), []);
  assert.deepEqual(compareGuarantees(promise, titles), ['docs/guarantees.md: test:full has no proof "kills"']);
});

test('a page of guarantees that contains no promise is reported', () => {
  assert.deepEqual(compareGuarantees('# Guarantees\n', new Map()), ['docs/guarantees.md: promises nothing']);
});
