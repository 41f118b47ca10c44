/** The checks behind `npm run check`: what they run, and how. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Check {
  name: string;
  /** The arguments with which Node runs the check: a script and the script's own arguments. */
  args: string[];
  /** The advice that is printed when the check fails. */
  mend: string;
}

/** The build machine has two cores. */
const LANES = 2;
/** The compiler and the linter are programs in Go: with this they collect garbage less often, and use a fourth less CPU time. */
const GO_COLLECTION = { GOGC: '300' };
const [MIGRATIONS, CONCURRENT] = splitMigrations();

const SQUAWK = findProgram('squawk-cli', 'squawk');

/** Each statement of these files stands alone and can be repeated; squawk's rules about transactions do not apply. */
const INDEXES: Check = {
  name: 'indexes',
  args: [
    SQUAWK,
    '--no-assume-in-transaction',
    '--exclude=prefer-robust-stmts,require-lock-timeout,require-statement-timeout',
    ...CONCURRENT,
  ],
  mend: 'write only statements that may run again; docs/recipes.md, "Add a table"',
};

/** All checks, those that take longest first, so that both lanes end at about the same time. */
const CHECKS: readonly Check[] = [
  {
    name: 'types',
    // Several checkers would examine the same types again, each on a core of its own.
    args: [findProgram('typescript', 'tsc'), '--noEmit', '--checkers', '1'],
    mend: 'mend the types',
  },
  {
    name: 'lint',
    args: [findProgram('oxlint', 'oxlint'), '--type-aware', '--deny-warnings'],
    mend: 'follow the rule; .oxlintrc.json says why it is there',
  },
  {
    name: 'dead code',
    args: [findProgram('knip', 'knip'), '--no-progress'],
    mend: 'remove what nothing uses, or do not export it',
  },
  {
    name: 'look-ups',
    args: ['scripts/check-lookups.ts'],
    mend: 'use getOwnProperty() of platform/values/own-property.ts, or a Map',
  },
  {
    name: 'taste',
    args: ['scripts/check-taste.ts'],
    mend: 'divide the file, or give it a name that says what is inside',
  },
  { name: 'openapi', args: ['scripts/openapi.ts', '--check'], mend: 'npm run openapi' },
  {
    name: 'limits',
    args: ['scripts/limits.ts', '--check'],
    mend: 'declare the limit with declareLimit(), or say in scripts/tuning.ts why it is not one; then npm run limits',
  },
  { name: 'docs', args: ['scripts/check-docs.ts'], mend: 'bring the document in line with the code' },
  {
    name: 'imports',
    args: ['scripts/check-imports.ts'],
    mend: 'move the code to where it may use that; docs/architecture.md has the import law',
  },
  {
    name: 'tables',
    args: ['scripts/check-tables.ts'],
    mend: "move the statement to the table's room, or state the exception with its reason in scripts/tables.ts",
  },
  { name: 'format', args: [findProgram('oxfmt', 'oxfmt'), '--check'], mend: 'npm run format' },
  {
    name: 'types of pages',
    args: [findProgram('typescript', 'tsc'), '-p', 'web', '--noEmit', '--checkers', '1'],
    mend: 'mend the types',
  },
  {
    name: 'types of the client',
    args: [findProgram('typescript', 'tsc'), '-p', 'sdk', '--noEmit'],
    mend: 'mend the types',
  },
  {
    name: 'client',
    args: ['scripts/sdk.ts', '--check'],
    mend: 'name the operation in sdk/methods.ts; then npm run sdk',
  },
  {
    name: 'migrations',
    args: [SQUAWK, ...MIGRATIONS, ...globSync('sql/*.sql')],
    mend: 'write the migration so that it locks nobody out; docs/recipes.md, "Add a table"',
  },
  ...(CONCURRENT.length > 0 ? [INDEXES] : []),
];

/** The migrations that run in a transaction, and those that do not. Of either kind there may be none; squawk would then read its input. */
function splitMigrations(): [string[], string[]] {
  const { inside = [], alone = [] } = Object.groupBy(globSync('migrations/*.sql').toSorted(), (path) =>
    path.endsWith('.concurrent.sql') ? 'alone' : 'inside',
  );
  return [inside, alone];
}

/** Returns the names of the checks that failed. Every check runs, so that one run reports all failures. */
export async function runChecks(): Promise<string[]> {
  const waiting = [...CHECKS];
  const failed: string[] = [];
  const runLane = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift())
      if (!(await runCheck(check))) failed.push(check.name);
  };
  await Promise.all(Array.from({ length: LANES }, runLane));
  return failed;
}

/** Prints the output of a check in one piece when it ends, so that two checks do not mix. */
async function runCheck({ name, args, mend }: Check): Promise<boolean> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'pipe', env: { ...process.env, ...GO_COLLECTION } });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(`${code === 0 ? '✔' : '✖'} ${name} (${seconds} s)`);
  if (code !== 0) process.stdout.write(`${Buffer.concat(output).toString().trimEnd()}\n→ ${name}: ${mend}\n`);
  return code === 0;
}

/** The file that a package's command runs, so that it starts without a shell on every system. */
function findProgram(name: string, command: string): string {
  const folder = join('node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  const program = bin[command];
  if (!program) throw new Error(`${name} has no command ${command}`);
  return join(folder, program);
}
