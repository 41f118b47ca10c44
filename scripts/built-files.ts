/** Files that scripts build from declarations and that are committed: a script writes them, or with --check compares them. */
import { readFileSync, writeFileSync } from 'node:fs';

/** The number of lines to show around a difference, so that its path is visible. */
const CONTEXT_LINES = 5;

/** Writes the files, or shows the first difference of each. `command` is what the reader runs then. */
export function writeOrCheck(built: readonly [file: string, text: string][], command: string): void {
  for (const [file, text] of built) {
    if (process.argv.includes('--check')) check(file, text, command);
    else writeFileSync(file, text);
  }
}

function check(file: string, current: string, command: string): void {
  const committed = readFileSync(file, 'utf8');
  if (committed === current) return console.log(`${file} is what the declarations say`);
  console.error(describeDifference(committed.split('\n'), current.split('\n')));
  console.error(`${file} is stale: run ${command} and commit it`);
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

const SECTION = /(?<=<!-- Written by npm run openapi -->\n).*?(?=<!-- End -->)/s;

/** Returns the page with new lines between its two comments. */
export function replaceSection(file: string, lines: string[]): string {
  const page = readFileSync(file, 'utf8');
  if (!SECTION.test(page)) throw new Error(`${file}: the comments around the built section are missing`);
  return page.replace(SECTION, () => ['', ...lines, ''].join('\n'));
}

/** The lines of a table of Markdown, with an empty one behind them. */
export const writeTable = (head: string[], rows: string[][]): string[] => [
  ...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
  '',
];
