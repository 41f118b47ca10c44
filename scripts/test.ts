/**
 * `npm test` runs all checks and, if they passed, all tests; with the names of test files it runs only these. `--checks` (npm run check)
 * runs the checks and the contract tests of what has changed. `--changed` (npm run test:changed) runs the tests that a change concerns,
 * without the checks. Changes are those since the branch left `main`, or `--since <commit>`. Runs in the root of the repository, on the
 * Node that npm installed, whichever Node started npm.
 */
import { delimiter, dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseContracts, chooseTests, listChangedFiles, readRepository, type ChosenTest } from './changed.ts';
import { runChecks } from './checks.ts';
import { listTestFiles, runTests } from './run-tests.ts';

// Each test file runs in a process of its own and loads the same hundred modules.
process.env['NODE_COMPILE_CACHE'] = resolve('node_modules/.cache/compiled');
// Every `node` that is started by a name is this one, also where npm made no link to it.
process.env['PATH'] = [dirname(process.execPath), resolve('node_modules/.bin'), process.env['PATH'] ?? ''].join(
  delimiter,
);

/** When so large a share of all test files is concerned, all of them run. */
const NEARLY_ALL = 0.75;

const { values, positionals } = parseArgs({
  options: {
    checks: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    since: { type: 'string', default: 'main' },
  },
  allowPositionals: true,
});

process.exitCode = (await run()) ? 0 : 1;

async function run(): Promise<boolean> {
  if (positionals.length > 0) return runTests(positionals);
  if (values.changed) return runChanged();
  const failed = await runChecks();
  if (values.checks && !(await runContracts())) failed.push('contract tests');
  if (failed.length > 0) console.log(`✖ failed: ${failed.join(', ')}`);
  if (failed.length > 0 || values.checks) return failed.length === 0;
  const files = listTestFiles();
  console.log(`tests (${files.length} files)`);
  return runTests(files);
}

/** Runs the contract tests that look at what the changed files declare. */
async function runContracts(): Promise<boolean> {
  const { files } = listChangedFiles(values.since);
  const tests = [...new Set(chooseContracts(files).map(({ test }) => test))];
  if (tests.length === 0) return true;
  const startedMs = performance.now();
  const holds = await runTests(tests, { quiet: true });
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(`${holds ? '✔' : '✖'} contract tests of what has changed: ${tests.join(', ')} (${seconds} s)`);
  return holds;
}

async function runChanged(): Promise<boolean> {
  const { base, files } = listChangedFiles(values.since);
  console.log(`${files.length} files have changed since ${base}`);
  const known = listTestFiles();
  const chosen = chooseTests(readRepository(), files).filter(({ test }) => known.includes(test));
  if (chosen.length === 0) return true;
  if (chosen.length > NEARLY_ALL * known.length) {
    const [first] = chosen as [ChosenTest];
    console.log(`They concern ${chosen.length} of ${known.length} test files, so all run: ${first.why}.`);
    return runTests(known);
  }
  printChoices(chosen);
  return runTests(chosen.map(({ test }) => test));
}

function printChoices(chosen: readonly ChosenTest[]): void {
  const byReason = Map.groupBy(chosen, ({ why }) => why);
  for (const [why, choices] of byReason) {
    console.log(`${why}:`);
    for (const { test } of choices) console.log(`  ${test}`);
  }
  const tests = chosen.map(({ test }) => test);
  const left = tests.some((test) => test.startsWith('test/guarantees/'))
    ? ''
    : '; npm test also runs the proofs of test/guarantees';
  console.log(`${tests.length} test files${left}`);
}
