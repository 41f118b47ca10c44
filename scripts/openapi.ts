/**
 * Builds openapi.json from the schemas: `node scripts/openapi.ts` writes it; with --check it shows the first difference, so that a
 * changed contract appears in the commit that changes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { buildOpenApi } from '../src/api.ts';

const FILE = 'openapi.json';
/** The number of lines to show around a difference, so that its path is visible. */
const CONTEXT_LINES = 5;

const built = `${JSON.stringify(await buildOpenApi(), null, 2)}\n`;
if (!process.argv.includes('--check')) writeFileSync(FILE, built);
else {
  const committed = readFileSync(FILE, 'utf8');
  if (committed === built) console.log(`${FILE} is what the schemas say`);
  else {
    console.error(describeDifference(committed.split('\n'), built.split('\n')));
    console.error(`${FILE} is stale: run npm run openapi and commit it`);
    process.exitCode = 1;
  }
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
