/** The documents against the code, both ways: `node scripts/check-docs.ts`, in the root of the repository. */
import { readFileSync } from 'node:fs';
import { checkChangelog, compareErrors, compareEvents, compareGuarantees, compareSettings } from './docs-law.ts';
import { isTest } from './import-law.ts';
import { readSources } from './source-facts.ts';
import { readTestTitles } from './test-titles.ts';

const { ERRORS } = await import('../src/platform/errors.ts');
const { EVENT_NAMES } = await import('../src/platform/events.ts');
const { SETTINGS } = await import('../src/config.ts');
const { covers, GRANTABLE, ROLE_SCOPES, USER_ROLES } = await import('../src/platform/scopes.ts');

const titles = new Map(
  readSources('.', ['src', 'sandbox', 'scripts', 'test'])
    .filter(({ path }) => isTest(path))
    .map(({ path, text }) => [path, readTestTitles(path, text)] as const),
);
const read = (path: string) => readFileSync(path, 'utf8');

const sentences = [
  ...compareErrors(read('docs/errors.md'), ERRORS),
  ...compareEvents(read('docs/events.md'), EVENT_NAMES),
  ...compareGuarantees(read('docs/guarantees.md'), titles),
  ...compareSettings(read('.env.example'), Object.keys(SETTINGS)),
  ...compareScopes(read('docs/authentication.md')),
  ...checkChangelog(read('CHANGELOG.md')),
];
for (const sentence of sentences) console.error(sentence);
console.log(
  `docs: ${Object.keys(ERRORS).length} errors, ${EVENT_NAMES.length} events, ${Object.keys(SETTINGS).length} settings, ` +
    `${titles.size} test files compared`,
);
if (sentences.length > 0) process.exitCode = 1;

/** docs/authentication.md: a table of resources (`## Scopes`), and one of what each role may do with them (`## Roles`). */
function compareScopes(markdown: string): string[] {
  const resources = GRANTABLE.filter((scope) => scope.endsWith(':*')).map((scope) => scope.slice(0, -2));
  const rightsOf = (resource: string) =>
    USER_ROLES.map((role) => {
      const may = ['create', 'read', 'update', 'delete'].filter((action) =>
        covers(ROLE_SCOPES[role], `${resource}:${action}`),
      );
      return may.map((action) => action.charAt(0)).join('') || '–';
    });
  const scopes = readTable(markdown, 'Scopes').map(([resource = '']) => [resource]);
  return [
    ...compareRows('Scopes', scopes, [['Resource'], ...resources.map((resource) => [`\`${resource}\``])]),
    ...compareRows('Roles', readTable(markdown, 'Roles'), [
      ['Resource', ...USER_ROLES],
      ...resources.map((resource) => [`\`${resource}\``, ...rightsOf(resource)]),
    ]),
  ];
}

function compareRows(heading: string, found: string[][], wanted: string[][]): string[] {
  const textOf = (cells: string[]) => cells.join(' | ');
  const [stated, known] = [found.map(textOf), wanted.map(textOf)];
  const missing = known.filter((row) => !stated.includes(row));
  const surplus = stated.filter((row, index) => !known.includes(row) || stated.indexOf(row) < index);
  return [
    ...missing.map((row) => `docs/authentication.md, ${heading}: lacks "${row}"`),
    ...surplus.map((row) => `docs/authentication.md, ${heading}: has "${row}", which the code does not`),
  ];
}

/** The cells of a section's table, its head first. */
function readTable(markdown: string, heading: string): string[][] {
  const section = markdown.split(/^## +/m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|') && !line.startsWith('|---'));
  return lines.map((line) => {
    const cells = line.split('|').slice(1, -1);
    return cells.map((cell) => cell.trim());
  });
}
