/**
 * The long proofs: `npm run test:full -- --size small|ci|full [--seed N] [--only name,…] [--fresh]`. A name is that of a proof, or the
 * first part of several, as greedy is of `greedy: exports`. Results are kept in data/full/<size>.json, so that an interrupted run of the
 * same commit continues where it stopped; a failed proof is run again. The table of results comes at the end.
 */
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openTestServer } from '../support/database.ts';
import { printProgress } from '../support/progress.ts';
import { readSeed } from './harness/chance.ts';
import { findProofs, listProofs, type Proof, type Size } from './list-proofs.ts';
import { readState, writeState, type Result, type State } from './state.ts';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'ci' },
    seed: { type: 'string' },
    only: { type: 'string' },
    fresh: { type: 'boolean', default: false },
  },
});
if (!isSize(values.size)) throw new Error('--size is small, ci or full');
process.exitCode = await runProofs(listProofs(values.size), join('data/full', `${values.size}.json`));

function isSize(text: string): text is Size {
  return ['small', 'ci', 'full'].includes(text);
}

async function runProofs(proofs: ReadonlyMap<string, Proof>, path: string): Promise<number> {
  if (values.fresh) await rm(path, { force: true });
  const state = await readState(path, currentCommit());
  if (state.seed === 0 || values.seed) state.seed = Number(values.seed ?? readSeed());
  const wanted = chooseProofs(proofs);
  printProgress();
  const server = await openTestServer();
  process.env['PARLEY_TEST_SERVER'] = JSON.stringify(server.address);
  try {
    for (const [index, name] of wanted.entries()) {
      if (state.results[name]?.figures) continue;
      console.log(`${name} (${index + 1} of ${wanted.length}, seed ${state.seed}) …`);
      const result = await runProof(proofs.get(name) as Proof, state.seed);
      state.results[name] = result;
      console.log(`${name} ${result.figures ? 'holds' : 'is BROKEN'} after ${result.seconds} s`);
      await writeState(path, state);
    }
  } finally {
    await server.close();
  }
  printTable(wanted, state);
  const complete = [...proofs.keys()].every((name) => state.results[name]?.figures);
  // The run is complete, so nothing is left to resume: the next run begins anew, with another seed.
  if (complete) await rm(path, { force: true });
  return wanted.every((name) => state.results[name]?.figures) ? 0 : 1;
}

/** The names of the proofs that `--only` names, or of all. */
function chooseProofs(proofs: ReadonlyMap<string, Proof>): string[] {
  const given = values.only?.split(',');
  if (!given) return [...proofs.keys()];
  const unknown = given.filter((text) => findProofs(proofs, text).length === 0);
  if (unknown.length > 0)
    throw new Error(`no such proof: ${unknown.join(', ')}; there are ${[...proofs.keys()].join(', ')}`);
  return [...new Set(given.flatMap((text) => findProofs(proofs, text)))];
}

/** Returns the commit of the results; in a copy without git history it is always the same word. */
function currentCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    // Failure policy: a copy without git cannot notice changes of the code, so after a change it has to be run with --fresh.
    return 'unknown';
  }
}

async function runProof(prove: Proof, seed: number): Promise<Result> {
  const started = performance.now();
  const seconds = (): number => Math.round((performance.now() - started) / 1_000);
  try {
    return { seed, figures: await prove(seed), seconds: seconds() };
  } catch (error) {
    // Failure policy: the other proofs continue; the table shows this failure, and the exit code is 1.
    return { seed, failure: (error as Error).stack ?? String(error), seconds: seconds() };
  }
}

function printTable(names: string[], { results }: State): void {
  const width = Math.max(...names.map((name) => name.length));
  console.log(`\n${'proof'.padEnd(width)}  result      s  seed        figures`);
  for (const name of names) {
    const { seed, seconds, figures, failure = '' } = results[name] as Result;
    const words = figures
      ? Object.entries(figures).map(([key, value]) => `${key} ${value}`)
      : failure.split('\n').slice(0, 3);
    const cells = [
      name.padEnd(width),
      figures ? 'holds ' : 'BROKEN',
      String(seconds).padStart(6),
      String(seed).padEnd(10),
    ];
    console.log([...cells, words.join(', ')].join('  '));
  }
}
