/**
 * The loop that works on the runs of a kind. Each portion is one transaction, which also counts it, so a worker that dies repeats nothing
 * and leaves nothing out. Companies take turns, so that a large run does not delay those of others.
 */
import { isContention, isUnavailable, toDatabaseProblem } from '../../store/db.ts';
import { repeatOvertaken } from '../../store/overtaken.ts';
import type { Storage } from '../../store/storage.ts';
import { actAs, type Acting, type Database, type TenantTx } from '../../store/tenant.ts';
import { AppError } from '../../values/errors.ts';
import { startClaimLoop, type ClaimLoop } from '../claims/claim-loop.ts';
import { openLeases, recordTurns, type TurnOutcome } from '../claims/leases.ts';
import type { Log } from '../telemetry.ts';
import type { RunError, RunKind } from './kind.ts';
import { claimRuns, countPortion, isAnotherWaiting, runQueue, type ClaimedRun, type Progress } from './queries.ts';
import { finishRun } from './runs.ts';

const SLOTS = 4;
// A turn begins no further portion after TURN_MS. With its statements and the waits for locks, the last one takes at most LAST_MS.
const TURN_MS = 2_000;
const LAST_MS = 15_000;
// A turn whose beginning is slow lasts longer, because the next turn has to begin again.
const SLOW_TURN_MS = 5_000;
// A database that has just failed would fail again at once.
const PAUSE_SECONDS = 5;
// The number of attempts without progress after which a run fails, because it would end its process again.
const MAX_ATTEMPTS = 2;
// The number of tries for a portion whose records others lock. After these it is given up, so that it does not hold up the others.
const TRIES = 3;
const MAX_MESSAGE = 300;
const SYSTEM = { type: 'system', id: null, name: 'runs' } as const;

export interface Portion {
  /** What was done; null when there was nothing to do now. */
  progress: Progress | null;
  /** The run ends with this portion: COMPLETED, or FAILED with the error. A run with subjects ends by itself after its last one. */
  end?: { error: RunError | null } | null;
  /** The seconds until the next portion. */
  pauseSeconds?: number | null;
}

/** The work on one run for one turn. */
export interface RunTurn {
  /** Finds what the next portion has to do, outside of its transaction. */
  select?(): Promise<void>;
  /** Does it. */
  portion(tx: TenantTx): Promise<Portion>;
  /** Whether the portion is tried again at once after this error; for records that others lock when absent. */
  isRetried?(error: unknown): boolean;
  /** Returns what to store when a portion has failed for good; null when the run is tried again later. */
  fail?(error: unknown): Portion | null;
  close?(): void;
}

export interface RunWork<I> {
  kind: RunKind;
  /** The runs of one company on which this process works at the same time. A run uses one connection at a time. */
  perCompany: number;
  /** The beginning of a turn is slow, so it goes on until a run of another company needs its place. */
  isSlowToBegin?: boolean;
  begin(run: ClaimedRun<I>, acting: Acting, stopping: AbortSignal): RunTurn;
}

interface Services {
  database: Database;
  storage: Storage;
  log: Log;
}

/** The run has ended, or another process works on it. */
class RunLost extends Error {}

export function startRuns<I>(services: Services, work: RunWork<I>): ClaimLoop {
  const system = services.database.system('upkeep');
  const queue = runQueue(work.kind);
  const { name } = work.kind;
  let busy = 0;
  return startClaimLoop<ClaimedRun<I>, TurnOutcome>(
    {
      ...openLeases<ClaimedRun<I>>(system, queue),
      name,
      slots: SLOTS,
      slotsPerCompany: work.perCompany,
      claim: (capacity) => claimRuns(system, work.kind, capacity),
      act: async (run, stopping) => {
        busy += 1;
        const isPlaceNeeded = async (): Promise<boolean> =>
          !work.isSlowToBegin || (busy >= SLOTS && isAnotherWaiting(system, work.kind, run.company));
        const outcome = await takeTurn(services, work, { run, stopping, isPlaceNeeded });
        busy -= 1;
        return outcome;
      },
      actMs: TURN_MS + LAST_MS,
      record: async (outcomes) => {
        await recordTurns(system, queue, outcomes);
        system.wakes(name);
      },
    },
    services,
  );
}

interface Session<I> {
  run: ClaimedRun<I>;
  stopping: AbortSignal;
  isPlaceNeeded(): Promise<boolean>;
}

/** Works on a run for one turn. Never throws. */
async function takeTurn<I>({ database, log }: Services, work: RunWork<I>, session: Session<I>): Promise<TurnOutcome> {
  const { run, stopping } = session;
  const { company, _id, claimed_at } = run;
  const outcome = { company, _id, claimed_at, pause_seconds: null, is_failure: false };
  const acting = actAs(database, company, run.actor ?? SYSTEM);
  try {
    if (run.attempts > MAX_ATTEMPTS) {
      await acting.tx((tx) => finishRun(tx, work.kind, _id, { status: 'FAILED', error: work.kind.crashed }));
      return outcome;
    }
    return { ...outcome, pause_seconds: await doPortions(log, acting, work, session) };
  } catch (error) {
    // Failure policy: nothing more of a run that has ended is stored. Any other run goes on after a pause; an error of this project counts as an
    // attempt, so that the run does not come back for ever.
    if (error instanceof RunLost || stopping.aborted) return outcome;
    log.warn({ err: error, run: _id }, `runs ${work.kind.name}: interrupted`);
    return { ...outcome, pause_seconds: PAUSE_SECONDS, is_failure: !isPassing(error) };
  }
}

/** Does portions until the run ends, has to wait for so many seconds, or its turn is over. */
async function doPortions<I>(
  log: Log,
  acting: Acting,
  work: RunWork<I>,
  { run, stopping, isPlaceNeeded }: Session<I>,
): Promise<number | null> {
  const beganMs = performance.now();
  let endMs: number | null = null;
  const turn = work.begin(run, acting, stopping);
  try {
    for (;;) {
      const { isLast, pauseSeconds } = await doPortion(log, acting, { work, run, turn });
      if (isLast || pauseSeconds !== null || stopping.aborted) return pauseSeconds;
      const nowMs = performance.now();
      endMs ??= work.isSlowToBegin ? nowMs + Math.max(SLOW_TURN_MS, nowMs - beganMs) : beganMs + TURN_MS;
      if (nowMs > endMs && (await isPlaceNeeded())) return null;
    }
  } finally {
    turn.close?.();
  }
}

interface Doing<I> {
  work: RunWork<I>;
  run: ClaimedRun<I>;
  turn: RunTurn;
}

interface DonePortion {
  isLast: boolean;
  pauseSeconds: number | null;
}

/** Does the next portion of a run, or stores that it has failed. */
async function doPortion<I>(log: Log, acting: Acting, { work, run, turn }: Doing<I>): Promise<DonePortion> {
  try {
    await turn.select?.();
    return await repeatOvertaken(
      () => store(acting, work.kind, run, (tx) => turn.portion(tx)),
      turn.isRetried ?? isContention,
      TRIES,
    );
  } catch (error) {
    // Failure policy: an error of the whole database is thrown; any other error is the portion's.
    const failed = error instanceof RunLost || preventsAll(error) ? null : (turn.fail?.(error) ?? null);
    if (!failed) throw error;
    if (toProblem(error) === null)
      log.error({ err: error, run: run._id, done: run.processed }, `runs ${work.kind.name}: a portion failed`);
    return store(acting, work.kind, run, async () => failed);
  }
}

/** Does a portion and counts it in one transaction. Throws when someone else has counted it, so that nothing is stored twice. */
async function store(
  acting: Acting,
  kind: RunKind,
  run: ClaimedRun,
  work: (tx: TenantTx) => Promise<Portion>,
): Promise<DonePortion> {
  const { progress, isLast, pauseSeconds } = await acting.tx(async (tx) => {
    const done = await work(tx);
    const isDone = run.subjects !== null && run.processed + (done.progress?.processed ?? 0) === run.total;
    const end = done.end ?? (isDone ? { error: null } : null);
    // An end is counted too, because a worker that has lost the run must not end it.
    const counted = done.progress ?? (end && { processed: 0 });
    if (counted && (await countPortion(tx, run, counted)) === 0) throw new RunLost();
    if (end && !(await finishRun(tx, kind, run._id, { status: end.error ? 'FAILED' : 'COMPLETED', ...end })))
      throw new RunLost();
    return { progress: counted, isLast: end !== null, pauseSeconds: done.pauseSeconds ?? null };
  });
  if (progress) {
    run.processed += progress.processed;
    run.failures.push(...(progress.failures ?? []));
    run.place = progress.place ?? run.place;
    run.subjects?.splice(0, progress.processed);
  }
  return { isLast, pauseSeconds };
}

/** Whether the error would prevent every portion. */
const preventsAll = (error: unknown): boolean => isPassing(error) && !isContention(error);

/** Whether the same work may succeed later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof AppError ? error.status === 503 : isUnavailable(error);

/** Returns the error for the caller; null when it is a defect of this project. */
export const toProblem = (error: unknown): AppError | null =>
  error instanceof AppError ? error : toDatabaseProblem(error);

/** Returns an error as a run shows it. */
export function toRunError(error: unknown): RunError {
  const problem = toProblem(error);
  if (!problem) return { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side' };
  return { code: problem.code, message: problem.message.slice(0, MAX_MESSAGE) };
}
