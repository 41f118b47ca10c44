/**
 * The long proofs: `npm run test:full -- --size small|ci|full [--seed N] [--only name,…] [--fresh]`. Results are kept in data/full/<size>.json,
 * so that an interrupted run of the same commit continues where it stopped; a failed proof is run again. The table of results comes at the
 * end.
 */
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openTestServer } from '../support/database.ts';
import { printProgress } from '../support/progress.ts';
import { GREEDS } from './greedy/greeds.ts';
import { readSeed } from './harness/chance.ts';
import { proveTenancy } from './matrix/run-matrix.ts';
import { proveAllTrails } from './matrix/run-trails.ts';
import { proveClientSends } from './proofs/client-sends.ts';
import { proveBulk } from './proofs/bulk.ts';
import { proveCampaigns } from './proofs/campaigns.ts';
import { proveDeliveries } from './proofs/deliveries.ts';
import { proveFiles } from './proofs/files.ts';
import { proveFloods } from './proofs/floods.ts';
import { proveForgeries } from './proofs/forgeries.ts';
import { proveFuzz } from './proofs/fuzz.ts';
import { listFigures, proveGreedy } from './proofs/greedy.ts';
import { proveHijack } from './proofs/hijack.ts';
import { proveHostiles } from './proofs/hostiles.ts';
import { proveIdempotency } from './proofs/idempotency.ts';
import { proveIngestion } from './proofs/ingestion.ts';
import { proveLive } from './proofs/live.ts';
import { proveLimits } from './proofs/limits.ts';
import { proveNeighbours } from './proofs/neighbours.ts';
import { proveOutage } from './proofs/outage.ts';
import { provePools } from './proofs/pools.ts';
import { proveRecipes } from './proofs/recipes.ts';
import { proveReset } from './proofs/reset.ts';
import { proveRevocation } from './proofs/revocation.ts';
import { proveSecrets } from './proofs/secrets.ts';
import { proveSends } from './proofs/sends.ts';
import { proveSheets } from './proofs/sheets.ts';
import { proveSoak } from './proofs/soak.ts';
import { proveSsrf } from './proofs/ssrf.ts';
import { proveStatuses } from './proofs/statuses.ts';
import { proveStopping } from './proofs/stopping.ts';
import { proveStorage, type StorageSize } from './proofs/storage.ts';
import { proveTurns } from './proofs/turns.ts';
import { proveWebChat } from './proofs/web-chat.ts';
import { readState, writeState, type Result, type State } from './state.ts';

type Size = 'small' | 'ci' | 'full';
type Figures = object;
type Proof = (seed: number) => Promise<Figures>;

/** Each way of being greedy is a proof of its own, because a process that one of them has slowed down would spoil the next. */
const listGreedyProofs = (aloneSeconds: number, seconds: number): Record<string, Proof> =>
  Object.fromEntries(
    Object.keys(GREEDS).map((name) => [
      `greedy: ${name}`,
      async () => {
        const size = { only: [name], companies: 25, perSecond: 0.4, aloneSeconds, seconds, scale: 1, judgesPace: true };
        const [account] = await proveGreedy(size);
        return account ? listFigures(account) : {};
      },
    ]),
  );

const SMALL_GREEDY = { companies: 3, perSecond: 2, aloneSeconds: 1, seconds: 1, scale: 0.25, judgesPace: false };

/**
 * The small size shows that each mechanism holds at all, with some hundred records and one to three kills, and judges no times. At ci size
 * a worker is stopped for 25 s, which is longer than its lease; at full size for a minute.
 */
const PROOFS: Record<Size, Record<string, Proof>> = {
  small: {
    deliveries: (seed) => proveDeliveries({ events: 400, kills: 2, seed }),
    ingestion: (seed) => proveIngestion({ processes: 2, messages: 400, kills: 2, restarts: 0, seed }),
    statuses: (seed) => proveStatuses({ messages: 100, statuses: 1_000, seed }),
    'web chat': (seed) => proveWebChat({ processes: 2, visitors: 12, each: 8, kills: 2, receipts: 10, seed }),
    sends: (seed) => proveSends({ sends: 100, kills: 2, seed }),
    bulk: (seed) => proveBulk({ contacts: 200, bad: 20, kills: 2, seed }),
    campaigns: (seed) => proveCampaigns({ contacts: 150, failures: 10, kills: 3, restarts: 0, neighbours: 0, seed }),
    files: (seed) => proveFiles({ disguises: 1, names: 30, atOnce: 10, seed }),
    sheets: (seed) => proveSheets({ variants: 50, judgesPace: false, seed }),
    'sends of the client': (seed) => proveClientSends({ sends: 100, seed }),
    idempotency: (seed) => proveIdempotency({ processes: 2, keys: 20, kills: 1, seed }),
    stopping: (seed) => proveStopping({ rounds: 3, judgesPace: false, seed }),
    outage: (seed) => proveOutage({ rounds: 1, awayMs: 5_000, judgesPace: false, seed }),
    storage: (seed) => requireStorage({ rounds: 1, seed }),
    hostiles: () => proveHostiles({ each: 2, attemptMs: Infinity, delay99Ms: Infinity, grownMb: Infinity }),
    neighbours: () => proveNeighbours({ companies: 5, each: 60, hanging: 2_000, judgesPace: false }),
    'neighbours at the API': () => proveFloods({ companies: 4, rounds: 2, seconds: 1, judgesPace: false }),
    'shares of the pools': () => provePools({ companies: 6, slow: 2, callers: 8, rounds: 2 }),
    greedy: async () =>
      Object.fromEntries((await proveGreedy(SMALL_GREEDY)).map((one) => [one.greed, JSON.stringify(listFigures(one))])),
    forgeries: () => proveForgeries({ everything: false }),
    revocation: () => proveRevocation({ processes: 3, rounds: 2 }),
    limits: (seed) => proveLimits({ seconds: 2, perKey: 40, perCompany: 100, judgesPace: false, seed }),
    'live streams': (seed) => proveLive({ disconnects: 15, kills: 1, heldMs: 3_000, seed }),
    reset: () => proveReset({ processes: 2, uses: 40, tries: 40, logIns: 10, judgesMs: false }),
    'turns of agents': (seed) => proveTurns({ contacts: 60, kills: 2, seed }),
    'hijacked agents': (seed) => proveHijack({ contacts: 16, rounds: 2, seed }),
    secrets: () => proveSecrets({ rounds: 1 }),
    trails: () => proveAllTrails({ companies: 1, everybody: false }),
    recipes: () => proveRecipes({ everything: true }),
    fuzz: (seed) => proveFuzz({ requests: 3_000, seed }),
    tenancy: () => proveTenancy('small'),
  },
  ci: {
    deliveries: (seed) => proveDeliveries({ events: 10_000, kills: 20, restarts: 3, seed }),
    'deliveries stopped and cut off': (seed) => proveDeliveries({ events: 2_000, stops: 1, freezes: 1, seed }),
    'deliveries under jumping clocks': (seed) => proveDeliveries({ events: 2_000, jumps: 12, seed }),
    ingestion: (seed) => proveIngestion({ processes: 3, messages: 10_000, kills: 20, restarts: 3, seed }),
    statuses: (seed) => proveStatuses({ messages: 10_000, statuses: 100_000, seed }),
    'web chat': (seed) => proveWebChat({ processes: 3, visitors: 500, each: 20, kills: 20, receipts: 200, seed }),
    sends: (seed) => proveSends({ sends: 2_000, kills: 20, seed }),
    bulk: (seed) => proveBulk({ contacts: 1_000, bad: 50, kills: 5, seed }),
    campaigns: (seed) =>
      proveCampaigns({ contacts: 10_000, failures: 500, kills: 20, restarts: 3, neighbours: 20, seed }),
    files: (seed) => proveFiles({ disguises: 18, names: 871, atOnce: 50, seed }),
    sheets: (seed) => proveSheets({ variants: 500, judgesPace: true, seed }),
    'sends of the client': (seed) => proveClientSends({ sends: 1_000, seed }),
    idempotency: (seed) => proveIdempotency({ processes: 3, keys: 1_000, kills: 20, seed }),
    stopping: (seed) => proveStopping({ rounds: 20, judgesPace: true, seed }),
    outage: (seed) => proveOutage({ rounds: 3, awayMs: 30_000, judgesPace: true, seed }),
    storage: (seed) => requireStorage({ rounds: 1, seed }),
    ssrf: (seed) => proveSsrf({ urls: 5_000, rebinds: 1_000, seed }),
    hostiles: () => proveHostiles({ each: 7, attemptMs: 10_500, delay99Ms: 100, grownMb: 64 }),
    neighbours: () => proveNeighbours({ companies: 25, each: 500, hanging: 5_000, judgesPace: true }),
    'neighbours at the API': () => proveFloods({ companies: 10, rounds: 6, seconds: 5, judgesPace: true }),
    'shares of the pools': () => provePools({ companies: 25, slow: 3, callers: 8, rounds: 20 }),
    ...listGreedyProofs(21, 45),
    forgeries: () => proveForgeries({ everything: true }),
    revocation: () => proveRevocation({ processes: 3, rounds: 10 }),
    limits: (seed) => proveLimits({ seconds: 10, perKey: 50, perCompany: 200, judgesPace: true, seed }),
    'live streams': (seed) => proveLive({ disconnects: 200, kills: 10, heldMs: 60_000, seed }),
    reset: () => proveReset({ processes: 3, uses: 1_000, tries: 2_000, logIns: 500, judgesMs: true }),
    'turns of agents': (seed) => proveTurns({ contacts: 2_000, kills: 20, seed }),
    'hijacked agents': (seed) => proveHijack({ contacts: 100, rounds: 10, seed }),
    secrets: () => proveSecrets({ rounds: 10 }),
    trails: () => proveAllTrails({ companies: 5, everybody: true }),
    recipes: () => proveRecipes({ everything: true }),
    fuzz: (seed) => proveFuzz({ requests: 100_000, seed }),
    soak: () => proveSoak({ minutes: 2, mostPerSecond: 500, judgesDrift: false }),
    tenancy: () => proveTenancy('ci'),
  },
  full: {
    deliveries: (seed) => proveDeliveries({ events: 100_000, kills: 100, restarts: 10, seed }),
    'deliveries undisturbed': (seed) => proveDeliveries({ events: 1_000_000, seed }),
    'deliveries stopped and cut off': (seed) =>
      proveDeliveries({ events: 40_000, stops: 20, stillMs: 60_000, freezes: 20, seed }),
    'deliveries under jumping clocks': (seed) => proveDeliveries({ events: 40_000, jumps: 200, seed }),
    ingestion: (seed) => proveIngestion({ processes: 3, messages: 100_000, kills: 100, restarts: 10, seed }),
    statuses: (seed) => proveStatuses({ messages: 100_000, statuses: 1_000_000, seed }),
    'web chat': (seed) => proveWebChat({ processes: 3, visitors: 5_000, each: 20, kills: 100, receipts: 200, seed }),
    sends: (seed) => proveSends({ sends: 20_000, kills: 100, seed }),
    bulk: (seed) => proveBulk({ contacts: 10_000, bad: 500, kills: 20, seed }),
    campaigns: (seed) =>
      proveCampaigns({ contacts: 100_000, failures: 5_000, kills: 20, restarts: 3, neighbours: 20, seed }),
    files: (seed) => proveFiles({ disguises: 200, names: 871, atOnce: 50, seed }),
    sheets: (seed) => proveSheets({ variants: 10_000, judgesPace: true, seed }),
    'sends of the client': (seed) => proveClientSends({ sends: 10_000, seed }),
    idempotency: (seed) => proveIdempotency({ processes: 3, keys: 10_000, kills: 100, seed }),
    stopping: (seed) => proveStopping({ rounds: 200, judgesPace: true, seed }),
    outage: (seed) => proveOutage({ rounds: 50, awayMs: 30_000, judgesPace: true, seed }),
    storage: (seed) => requireStorage({ rounds: 20, seed }),
    ssrf: (seed) => proveSsrf({ urls: 50_000, rebinds: 10_000, seed }),
    hostiles: () => proveHostiles({ each: 72, attemptMs: 10_500, delay99Ms: 50, grownMb: 64 }),
    neighbours: () => proveNeighbours({ companies: 25, each: 1_000, hanging: 50_000, judgesPace: true }),
    'neighbours at the API': () => proveFloods({ companies: 25, rounds: 20, seconds: 15, judgesPace: true }),
    'shares of the pools': () => provePools({ companies: 60, slow: 4, callers: 20, rounds: 200 }),
    ...listGreedyProofs(120, 600),
    forgeries: () => proveForgeries({ everything: true }),
    revocation: () => proveRevocation({ processes: 3, rounds: 100 }),
    limits: (seed) => proveLimits({ seconds: 120, perKey: 50, perCompany: 200, judgesPace: true, seed }),
    'live streams': (seed) => proveLive({ disconnects: 2_000, kills: 100, heldMs: 60_000, seed }),
    reset: () => proveReset({ processes: 3, uses: 1_000, tries: 2_000, logIns: 2_000, judgesMs: true }),
    'turns of agents': (seed) => proveTurns({ contacts: 20_000, kills: 100, seed }),
    'hijacked agents': (seed) => proveHijack({ contacts: 500, rounds: 20, seed }),
    secrets: () => proveSecrets({ rounds: 100 }),
    trails: () => proveAllTrails({ companies: 50, everybody: true }),
    recipes: () => proveRecipes({ everything: true }),
    fuzz: (seed) => proveFuzz({ requests: 5_000_000, seed }),
    soak: () => proveSoak({ minutes: 120, mostPerSecond: 500, judgesDrift: true }),
    tenancy: () => proveTenancy('full'),
  },
};

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'ci' },
    seed: { type: 'string' },
    only: { type: 'string' },
    fresh: { type: 'boolean', default: false },
  },
});
if (!isSize(values.size)) throw new Error('--size is small, ci or full');
process.exitCode = await runProofs(PROOFS[values.size], join('data/full', `${values.size}.json`));

function isSize(text: string): text is Size {
  return Object.hasOwn(PROOFS, text);
}

async function runProofs(proofs: Record<string, Proof>, path: string): Promise<number> {
  if (values.fresh) await rm(path, { force: true });
  const state = await readState(path, currentCommit());
  if (state.seed === 0 || values.seed) state.seed = Number(values.seed ?? readSeed());
  const wanted = values.only?.split(',') ?? Object.keys(proofs);
  const unknown = wanted.filter((name) => !proofs[name]);
  if (unknown.length > 0)
    throw new Error(`no such proof: ${unknown.join(', ')}; there are ${Object.keys(proofs).join(', ')}`);
  printProgress();
  const server = await openTestServer();
  process.env['PARLEY_TEST_SERVER'] = JSON.stringify(server.address);
  try {
    for (const name of wanted) {
      if (state.results[name]?.figures) continue;
      console.log(`${name} (${wanted.indexOf(name) + 1} of ${wanted.length}, seed ${state.seed}) …`);
      const result = await runProof(proofs[name] as Proof, state.seed);
      state.results[name] = result;
      console.log(`${name} ${result.figures ? 'holds' : 'is BROKEN'} after ${result.seconds} s`);
      await writeState(path, state);
    }
  } finally {
    await server.close();
  }
  printTable(wanted, state);
  const complete = Object.keys(proofs).every((name) => state.results[name]?.figures);
  // The run is complete, so nothing is left to resume: the next run begins anew, with another seed.
  if (complete) await rm(path, { force: true });
  return wanted.every((name) => state.results[name]?.figures) ? 0 : 1;
}

/** Fails on a machine where no small disk can be mounted, because nothing would be proven there. */
async function requireStorage(size: StorageSize): Promise<Figures> {
  const account = await proveStorage(size);
  if (!account) throw new Error('no small disk can be mounted here');
  return account;
}

/** Returns the commit of the results; in a copy without git history it is always the same word. */
function currentCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    // Failure policy: a copy without git can not notice changes of the code, so after a change it has to be run with --fresh.
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
