/** The documents against the code, both ways: `node scripts/check-docs.ts`, in the root of the repository. */
import { readFileSync } from 'node:fs';
import { checkChangelog, compareErrors, compareEvents, compareGuarantees, compareSettings } from './docs-law.ts';
import { isTest } from './import-law.ts';
import { readSources } from './source-facts.ts';
import { readTestTitles } from './test-titles.ts';

const { ERRORS } = await import('../src/platform/errors.ts');
const { EVENT_NAMES } = await import('../src/platform/events.ts');
const { SETTINGS } = await import('../src/config.ts');

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
  ...checkChangelog(read('CHANGELOG.md')),
];
for (const sentence of sentences) console.error(sentence);
console.log(
  `docs: ${Object.keys(ERRORS).length} errors, ${EVENT_NAMES.length} events, ${Object.keys(SETTINGS).length} settings, ` +
    `${titles.size} test files compared`,
);
if (sentences.length > 0) process.exitCode = 1;
