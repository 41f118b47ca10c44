/**
 * Builds openapi.json and the tables of scopes in docs/scopes.md from the declarations: `node scripts/openapi.ts` writes them; with
 * --check it shows the first difference, so that a changed contract appears in the commit that changes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { buildOpenApi } from '../src/api.ts';
import { replaceScopeTables } from './scope-tables.ts';

const PAGE = 'docs/scopes.md';
/** The number of lines to show around a difference, so that its path is visible. */
const CONTEXT_LINES = 5;

const document = await buildOpenApi();
const built: [file: string, text: string][] = [
  ['openapi.json', `${JSON.stringify(document, null, 2)}\n`],
  [PAGE, replaceScopeTables(readFileSync(PAGE, 'utf8'), document)],
];
for (const [file, text] of built)
  if (process.argv.includes('--check')) check(file, text);
  else writeFileSync(file, text);

function check(file: string, current: string): void {
  const committed = readFileSync(file, 'utf8');
  if (committed === current) return console.log(`${file} is what the declarations say`);
  console.error(describeDifference(committed.split('\n'), current.split('\n')));
  console.error(`${file} is stale: run npm run openapi and commit it`);
  process.exitCode = 1;
}

function describeDifference(committed: string[], current: string[]): string {
  const first = committed.findIndex((line, index) => line !== current[index]);
  const at = first === -1 ? committed.length : first;
  const show = (sign: string, lines: string[]) => lines.slice(at, at + CONTEXT_LINES).map((line) => sign + line);
  return [
    `@@ line ${at + 1} @@`,
    ...committed.slice(Math.max(0, at - CONTEXT_LINES), at).map((line) => ` ${line}`),
    ...show('-', committed),
    ...show('+', current),
  ].join('\n');
}
