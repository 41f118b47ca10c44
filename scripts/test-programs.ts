/** Divides test files into programs. The files of one program run one after the other in the same process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface Program {
  files: string[];
  /** How long its files take, compared with those of other programs. */
  weight: number;
}

/** What never differs between the files of a process, what they may read there, and the name of a module. */
const UNCHANGING = ['platform', 'execPath', 'pid', 'getuid', 'cwd', 'ts', 'env'].join('|');
/** A file that measures or changes its process, replaces functions, or declares schemas or jobs of its own has that process to itself. */
const NEEDS_OWN_PROCESS = new RegExp(
  [
    String.raw`\bprocess\.(?!(${UNCHANGING})\b)\w`,
    String.raw`\bprocess\.env(\.\w+|\[[^\]]+\]) (\?\?)?= |\bdelete process\.env`,
    String.raw`\bmock\b`,
    String.raw`import \{[^}]*\bdefine(Job)?\b`,
    'support/(memory|clock)|node:(perf_hooks|worker_threads)',
  ].join('|'),
);
/** How the files are divided. */
export interface Division {
  /** How long a file takes, compared with others. */
  weigh(file: string): number;
  /** How many programs of several files there are: as many as run side by side, because each of them loads the code and starts a platform. */
  shared: number;
}

/** The longest program comes first, so that none is left at the end of the run. */
export function makePrograms(files: readonly string[], { weigh, shared: count }: Division): Program[] {
  const inOrder = files.toSorted((a, b) => weigh(b) - weigh(a) || (a < b ? -1 : 1));
  const { shared = [], single = [] } = Object.groupBy(inOrder, (file) => (sharesProcess(file) ? 'shared' : 'single'));
  const programs: Program[] = Array.from({ length: count }, () => ({ files: [], weight: 0 }));
  for (const file of shared) {
    const shortest = programs.reduce((a, b) => (b.weight < a.weight ? b : a));
    shortest.files.push(file);
    shortest.weight += weigh(file);
  }
  const others = single.map((file) => ({ files: [file], weight: weigh(file) }));
  return [...programs, ...others].filter(({ files: some }) => some.length > 0).toSorted((a, b) => b.weight - a.weight);
}

const sharesProcess = (file: string): boolean => !NEEDS_OWN_PROCESS.test(readFileSync(file, 'utf8'));

/** Returns the path of the file that Node runs: the test file, or one in this folder that runs several test files. */
export function writeProgram({ files }: Program, folder: string): string {
  const [first = '', ...others] = files;
  if (others.length === 0) return first;
  const together = import.meta.resolve('../test/support/together.ts');
  const paths = JSON.stringify(files.map((file) => resolve(file)));
  const path = join(folder, `${first.replaceAll('/', '-')}.mjs`);
  writeFileSync(path, `import { runTogether } from '${together}';\nawait runTogether(${paths});\n`);
  return path;
}
