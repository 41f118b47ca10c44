/**
 * The loop that works on the runs of a kind. Each portion is one transaction, which also counts it, so a worker that dies repeats nothing
 * and leaves nothing out. Companies take turns, so that a large run does not delay those of others.
 */
import { isContention, isUnavailable, toDatabaseProblem } from '../../store/db.ts';
import type { Storage } from '../../store/storage.ts';
import { actAs, type Acting, type Database, type TenantTx } from '../../store/tenant.ts';
import { AppError } from '../../values/errors.ts';
import { startClaimLoop, type ClaimLoop } from '../claims/claim-loop.ts';
import { openLeases, recordTurns, type TurnOutcome } from '../claims/leases.ts';
import type { Log } from '../telemetry.ts';
import type { RunError, RunKind } from './kind.ts';
import { claimRuns, countPortion, endRun, runQueue, type ClaimedRun, type Progress, type RunEnd } from './queries.ts';
import { announceRun } from './runs.ts';

// A run uses one connection at a time; one company has one run of a kind in this process.
const SLOTS = 4;
const SLOTS_PER_COMPANY = 1;
// A turn begins no further portion after TURN_MS. With its statements and the waits for locks, the last one takes at most LAST_MS.
const TURN_MS = 2_000;
const LAST_MS = 15_000;
// A database that has just failed would fail again at once.
const PAUSE_SECONDS = 5;
// The number of attempts without progress after which a run fails, because it would end its process again.
const MAX_ATTEMPTS = 2;
// The number of tries for a portion whose records others lock. After these it is given up, so that it does not hold up the others.
const TRIES = 3;
const MAX_MESSAGE = 300;
const SYSTEM = { type: 'system', id: null, name: 'runs' } as const;

/** What a portion has done; null when there was nothing to do now. */
export interface Portion {
  progress: Progress | null;
  /** The run ends with this portion: COMPLETED, or FAILED with the error. A run with subjects ends by itself after its last one. */
  end?: { error: RunError | null };
  /** The seconds until the next portion. */
  pauseSeconds?: number | null;
}

export interface RunWork<I> {
  kind: RunKind;
  /** Does the next portion of a run. */
  portion(tx: TenantTx, run: ClaimedRun<I>, acting: Acting): Promise<Portion>;
  /** Counts a portion as failed for good; without it, the run is tried again later. */
  fail?(run: ClaimedRun<I>, error: unknown): Progress;
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
  const name = work.kind.list;
  return startClaimLoop<ClaimedRun<I>, TurnOutcome>(
    {
      ...openLeases<ClaimedRun<I>>(system, queue),
      name,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      claim: (capacity) => claimRuns(system, work.kind, capacity),
      act: (run, stopping) => takeTurn(services, work, run, stopping),
      actMs: TURN_MS + LAST_MS,
      record: async (outcomes) => {
        await recordTurns(system, queue, outcomes);
        system.wakes(name);
      },
    },
    services,
  );
}

/** Works on a run for one turn. Never throws. */
async function takeTurn<I>(
  { database, log }: Services,
  work: RunWork<I>,
  run: ClaimedRun<I>,
  stopping: AbortSignal,
): Promise<TurnOutcome> {
  const { company, _id, claimed_at } = run;
  const outcome = { company, _id, claimed_at, pause_seconds: null, is_failure: false };
  const acting = actAs(database, company, run.actor ?? SYSTEM);
  const endMs = performance.now() + TURN_MS;
  try {
    if (run.attempts > MAX_ATTEMPTS) {
      await acting.tx((tx) => end(tx, work.kind, _id, { status: 'FAILED', error: work.kind.crashed }));
      return outcome;
    }
    while (!stopping.aborted && performance.now() < endMs) {
      const { pauseSeconds, isLast } = await doPortion(log, acting, work, run);
      if (isLast || pauseSeconds !== null) return { ...outcome, pause_seconds: pauseSeconds };
    }
    return outcome;
  } catch (error) {
    // Failure policy: nothing more of a run that has ended is stored. Any other run goes on after a pause; an error of this project counts as an
    // attempt, so that the run does not come back for ever.
    if (error instanceof RunLost) return outcome;
    log.warn({ err: error, run: _id }, `${work.kind.list}: interrupted`);
    return { ...outcome, pause_seconds: PAUSE_SECONDS, is_failure: !isPassing(error) };
  }
}

interface DonePortion {
  isLast: boolean;
  pauseSeconds: number | null;
}

/** Does the next portion of a run, or counts it as failed. */
async function doPortion<I>(log: Log, acting: Acting, work: RunWork<I>, run: ClaimedRun<I>): Promise<DonePortion> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store(acting, work.kind, run, (tx) => work.portion(tx, run, acting));
    } catch (error) {
      // Failure policy: a portion whose records others lock is tried again at once; an error of the whole database is thrown; any other error
      // is the portion's.
      if (error instanceof RunLost || preventsAll(error)) throw error;
      if (isContention(error) && tries < TRIES) continue;
      if (!work.fail) throw error;
      const progress = work.fail(run, error);
      if (toProblem(error) === null)
        log.error({ err: error, run: run._id, done: run.processed }, `${work.kind.list}: a portion failed`);
      return store(acting, work.kind, run, async () => ({ progress }));
    }
  }
}

/** Does a portion and counts it in one transaction. Throws when someone else has counted it, so that nothing is stored twice. */
async function store(
  acting: Acting,
  kind: RunKind,
  run: ClaimedRun,
  work: (tx: TenantTx) => Promise<Portion>,
): Promise<DonePortion> {
  const done = await acting.tx(async (tx) => {
    const { progress, end: given, pauseSeconds = null } = await work(tx);
    if (progress && (await countPortion(tx, run, progress)) === 0) throw new RunLost();
    const isDone = run.subjects !== null && run.processed + (progress?.processed ?? 0) === run.total;
    const ended = given ?? (isDone ? { error: null } : null);
    if (ended) await end(tx, kind, run._id, { status: ended.error ? 'FAILED' : 'COMPLETED', ...ended });
    else if (progress) announceRun(tx, run._id);
    return { pauseSeconds, isLast: ended !== null, progress };
  });
  const { progress } = done;
  if (progress) {
    run.processed += progress.processed;
    run.shown += progress.failures?.length ?? 0;
    run.place = progress.place ?? run.place;
    run.subjects?.splice(0, progress.processed);
  }
  return done;
}

/** Ends a run and announces it. Throws when it has ended before. */
async function end(tx: TenantTx, kind: RunKind, id: string, how: RunEnd): Promise<void> {
  if ((await endRun(tx, kind, id, how)) === 0) throw new RunLost();
  announceRun(tx, id);
}

/** Whether the error would prevent every portion. */
const preventsAll = (error: unknown): boolean => isPassing(error) && !isContention(error);

/** Whether the same work may succeed later. */
const isPassing = (error: unknown): boolean =>
  error instanceof AppError ? error.status === 503 : isUnavailable(error);

/** Returns the error for the caller; null when it is a defect of this project. */
const toProblem = (error: unknown): AppError | null => (error instanceof AppError ? error : toDatabaseProblem(error));

/** Returns an error as a run shows it. */
export function toRunError(error: unknown): RunError {
  const problem = toProblem(error);
  if (!problem) return { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side' };
  return { code: problem.code, message: problem.message.slice(0, MAX_MESSAGE) };
}
