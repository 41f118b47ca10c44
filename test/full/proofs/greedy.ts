/**
 * A greedy company uses its limits to the full, in one way after the other, while other companies behave as usual.
 * The statuses and times of their answers are compared with those before the greedy company began and after it ended.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportProgress } from '../../support/progress.ts';
import { GREEDS } from '../greedy/greeds.ts';
import { openGreedyCompanies, type GreedyCompanies } from '../greedy/neighbour.ts';
import {
  KINDS,
  measureOrdinaryRequests,
  openOrdinaryCompanies,
  type RequestKind,
  type MeasuredAnswers,
  type OrdinaryCompanies,
} from '../greedy/ordinary.ts';
import type { GreedyResults } from '../greedy/play.ts';
import { medianPercentile99 } from '../harness/percentile.ts';
import { withStage, type Stage } from '../harness/stage.ts';
import { makeMeasurementEnv, readMeasurements, measureSettledMb, watchMemory } from '../harness/vitals.ts';

export interface GreedySize {
  /** The names of the greedy behaviours to try, one after the other; all when absent. */
  only?: string[];
  companies: number;
  /** The rate per second at which each other company sends each kind of request. */
  perSecond: number;
  /** The length of each phase without the greedy company, and of the phase with the greedy company. */
  aloneSeconds: number;
  seconds: number;
  /** The share of its limits that the greedy company uses; 1 means all of each limit. */
  scale: number;
  /** Whether times, memory and event loop are judged. On a shared machine only what does not depend on its speed is judged. */
  judgesPace: boolean;
}

export interface GreedyResult {
  greed: string;
  /** The number of requests of the other companies, of those that were refused, and of those that got no answer. */
  requests: number;
  refused: number;
  unanswered: number;
  /** The 99th percentile of the answer time for each kind of request: before the greedy company began, during, and after it ended. */
  before99Ms: Record<RequestKind, number>;
  beside99Ms: Record<RequestKind, number>;
  after99Ms: Record<RequestKind, number>;
  /**
   * The longest delay of the event loop, and the longest computation without a pause, without (alone) and with (beside) the greedy company.
   */
  aloneDelayMs: number;
  besideDelayMs: number;
  aloneBusyMs: number;
  besideBusyMs: number;
  warmMb: number;
  peakMb: number;
  /** The memory of the process itself, without the processes that read sheets. */
  ownMb: number;
  afterMb: number;
  /** The number of imports of the greedy company that were still running some time after its requests ended. */
  unfinished: number;
  /** True when the platform's process ended by itself. */
  died: boolean;
  told: GreedyResults;
  reasons: Record<string, number>;
}

const MOST_RATIO = 2;
const MOST_DELAY_MS = 100;
const MOST_GROWTH = 1.2;
// Milliseconds by which times may differ, because a busy process cannot measure less; an import also waits until a worker next looks for
// one.
const CLOCK_MS = 5;
const IMPORT_POLL_MS = 2_000;
// The longest computation in a small run: about a hundred requests would have to wait for it; or a multiple of what the process computes
// anyway.
const MOST_BUSY_MS = 250;
const BUSY_RATIO = 3;
// The most megabytes that one company may make the process use in addition; small runs check this limit, too.
const MOST_HELD_MB = 400;

export async function proveGreedy(size: GreedySize): Promise<GreedyResult[]> {
  const accounts = await measureGreedyCompanies(size);
  for (const account of accounts) {
    // A failed proof prints all of its figures, because they show where to look.
    reportProgress(JSON.stringify(listFigures(account)));
    assertUndisturbed(account, size);
  }
  return accounts;
}

/** Plays all phases and returns their measurements, without judging them. */
async function measureGreedyCompanies(size: GreedySize): Promise<GreedyResult[]> {
  return withStage({}, async (stage) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-pulse-'));
    const socket = join(folder, 'pulse');
    // The platform runs with its default limits and its default connection pool.
    const limits = {
      RATE_LIMIT_PER_KEY: '50',
      RATE_LIMIT_PER_COMPANY: '200',
      RATE_LIMIT_PAGES: '20',
      RATE_LIMIT_ANSWERS: '4',
      DATABASE_POOL: '10',
    };
    const api = await stage.start('all', { ...limits, ...makeMeasurementEnv(socket) });
    const town = await openOrdinaryCompanies(stage, api, size.companies);
    const neighbours = openGreedyCompanies(stage, api);
    try {
      const scene: GreedyScene = { stage, town, neighbours, socket, size };
      // The first requests open connections and compile code, so they are not measured where times are judged.
      const phase = await measurePhase(scene, size.aloneSeconds);
      scene.first = { phase, mb: await measureSettledMb(socket, api.pid) };
      const accounts: GreedyResult[] = [];
      for (const name of size.only ?? Object.keys(GREEDS))
        accounts.push(await measureOneGreed(scene, name, accounts.length));
      return accounts;
    } finally {
      await neighbours.close();
      await town.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
}

interface GreedyScene {
  stage: Stage;
  town: OrdinaryCompanies;
  neighbours: GreedyCompanies;
  socket: string;
  size: GreedySize;
  /** The phase that was played first; where times are not judged, it is the only phase without the greedy company. */
  first?: FiguresWithoutGreed;
}

interface FiguresWithoutGreed {
  phase: MeasuredPhase;
  /** The memory of the process in megabytes, after the phase and once all requests have ended. */
  mb: number;
}

interface MeasuredPhase extends MeasuredAnswers {
  delayMs: number;
  busyMs: number;
}

async function measureOneGreed(scene: GreedyScene, name: string, number: number): Promise<GreedyResult> {
  const { neighbours, size } = scene;
  const { api } = scene.town;
  if (size.judgesPace) await warmUpProcess(scene, name, number);
  const neighbour = await neighbours.open({ name, number, scale: size.scale });
  const before = await measureWithoutGreed(scene);
  const measureWithGreed = async () => {
    reportProgress(`the greedy company begins: ${name}`);
    neighbour.begin();
    const phase = await measurePhase(scene, size.seconds);
    const told = await neighbour.end();
    return { phase, told, unfinished: size.judgesPace ? await awaitImportsEnd(scene) : 0 };
  };
  const { result, peakMb, ownMb } = await watchMemory(api.pid, measureWithGreed());
  const { phase: beside, ...ended } = result;
  const after = await measureWithoutGreed(scene);
  const { refused } = beside;
  const times = (phase: MeasuredPhase): Record<RequestKind, number> =>
    Object.fromEntries(KINDS.map((kind) => [kind, medianPercentile99(phase.timesMs[kind])])) as Record<
      RequestKind,
      number
    >;
  return {
    greed: name,
    requests: KINDS.reduce((sum, kind) => sum + beside.timesMs[kind].length, 0),
    refused: [...refused.values()].reduce((sum, count) => sum + count, 0),
    reasons: Object.fromEntries(refused),
    unanswered: beside.unanswered,
    before99Ms: times(before.phase),
    beside99Ms: times(beside),
    after99Ms: times(after.phase),
    aloneDelayMs: Math.max(before.phase.delayMs, after.phase.delayMs),
    besideDelayMs: beside.delayMs,
    aloneBusyMs: Math.max(before.phase.busyMs, after.phase.busyMs),
    besideBusyMs: beside.busyMs,
    warmMb: before.mb,
    peakMb,
    ownMb,
    afterMb: after.mb,
    died: !api.alive,
    ...ended,
  };
}

const WARM_UP_SECONDS = 10;
// Greedy companies are numbered: those that only warm up get numbers above those of all measured companies.
const FIRST_WARM_UP = 100;

/**
 * Lets another company be greedy in the same way for a moment. The allocator keeps the memory that such work
 * needed, so only a process that has done the work before shows whether each repetition leaves more memory behind.
 */
async function warmUpProcess({ neighbours, size }: GreedyScene, name: string, number: number): Promise<void> {
  reportProgress(`a first company warms up: ${name}`);
  const first = await neighbours.open({ name, number: FIRST_WARM_UP + number, scale: size.scale });
  first.begin();
  await sleep(WARM_UP_SECONDS * 1_000);
  await first.end();
}

async function measureWithoutGreed(scene: GreedyScene): Promise<FiguresWithoutGreed> {
  const { first, socket, size, town } = scene;
  if (first && !size.judgesPace) return first;
  const phase = await measurePhase(scene, size.aloneSeconds);
  return { phase, mb: await measureSettledMb(socket, town.api.pid) };
}

async function measurePhase({ town, socket, size }: GreedyScene, seconds: number): Promise<MeasuredPhase> {
  reportProgress(`the others ask for ${seconds} s`);
  await readMeasurements(socket);
  const measured = await measureOrdinaryRequests(town, {
    seconds,
    perSecond: size.perSecond,
    imports: size.judgesPace,
  });
  const pulse = await readMeasurements(socket);
  const none = Number.POSITIVE_INFINITY;
  return { ...measured, delayMs: Math.round(pulse?.delayMs ?? none), busyMs: Math.round(pulse?.busyMs ?? none) };
}

// The time limit for imports: reading ten sheets of half a gigabyte takes a minute or two.
const IMPORTS_MS = 120_000;

/** Waits until all imports have ended, and returns how many are still running after the time limit. */
async function awaitImportsEnd({ stage, size }: GreedyScene): Promise<number> {
  const endMs = performance.now() + Math.min(IMPORTS_MS, size.seconds * 10_000);
  for (;;) {
    const [row] = await stage.store.sql<{ open: number }>(
      'select count(*)::int as open from runs where finished_at is null',
    );
    if (!row?.open || performance.now() > endMs) return row?.open ?? 0;
    await sleep(200);
  }
}

/** Returns the account as short figures: the 99th percentiles before, during and after the greedy company, and all others. */
export function listFigures(account: GreedyResult): Record<string, number | string> {
  const { requests, refused, unanswered, before99Ms, beside99Ms, after99Ms, told } = account;
  const times = KINDS.map(
    (kind) => [`${kind}99Ms`, `${before99Ms[kind]}→${beside99Ms[kind]}→${after99Ms[kind]}`] as const,
  );
  const statuses = Object.entries(told.statuses).map(([status, count]) => `${count}×${status}`);
  return {
    requests,
    refused,
    unanswered,
    ...Object.fromEntries(times),
    delayMs: `${account.aloneDelayMs}→${account.besideDelayMs}`,
    busyMs: `${account.aloneBusyMs}→${account.besideBusyMs}`,
    residentMb: `${account.warmMb}→${account.peakMb}→${account.afterMb}`,
    told: statuses.join(' '),
  };
}

function assertUndisturbed(account: GreedyResult, { judgesPace }: GreedySize): void {
  const { greed, refused, unanswered, told } = account;
  const beside = `beside ${greed}`;
  assert.ok(account.requests > 0, `${beside} the other companies sent no request`);
  assert.equal(account.died, false, `${beside} the process ended`);
  assert.deepEqual(
    { refused, unanswered },
    { refused: 0, unanswered: 0 },
    `${beside}: ${JSON.stringify(account.reasons)}`,
  );
  assert.equal(told.statuses['500'] ?? 0, 0, `${greed} was answered 500`);
  if (judgesPace) assertUndisturbedPace(account);
}

function assertUndisturbedPace(account: GreedyResult): void {
  const { greed, before99Ms, beside99Ms, after99Ms, besideBusyMs, aloneBusyMs, besideDelayMs } = account;
  const { warmMb, ownMb, afterMb } = account;
  const mostBusyMs = Math.max(MOST_BUSY_MS, aloneBusyMs * BUSY_RATIO);
  assert.ok(
    besideBusyMs <= mostBusyMs,
    `beside ${greed} the process computed for ${besideBusyMs} ms on end, alone ${aloneBusyMs} ms`,
  );
  assert.ok(ownMb - warmMb <= MOST_HELD_MB, `beside ${greed} the process held ${ownMb} MB, alone ${warmMb} MB`);
  for (const kind of KINDS) {
    const freeMs = kind === 'import' ? IMPORT_POLL_MS : CLOCK_MS;
    const [before, beside, after] = [before99Ms[kind], beside99Ms[kind], after99Ms[kind]];
    // What the greedy company left behind may slow down the phase after it, so that phase is compared with the phase before.
    assert.ok(
      after <= before * MOST_RATIO + freeMs,
      `after ${greed} 99 % of ${kind} took ${after} ms, before ${before} ms`,
    );
    const most = Math.max(before, after) * MOST_RATIO + freeMs;
    assert.ok(beside <= most, `beside ${greed} 99 % of ${kind} took ${beside} ms, alone ${before} and ${after} ms`);
  }
  assert.ok(besideDelayMs <= MOST_DELAY_MS, `beside ${greed} the event loop was late by ${besideDelayMs} ms`);
  assert.ok(afterMb <= warmMb * MOST_GROWTH, `${greed} left ${afterMb} MB behind, before it were ${warmMb} MB`);
}
