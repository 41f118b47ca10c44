/**
 * The loop that works on a queue table: it claims as many rows as it has free slots, a few of each company in turn, does the work of each
 * row, and stores the outcomes in batches. A claim is committed before its work begins, so a process that dies can leave work undone but
 * never does it twice; where the queue has leases, the loop renews those of its rows, and work whose process died begins anew. Work that
 * hangs occupies only the slots of its own company.
 */
import { inBackground } from '../background.ts';
import type { DueWork } from '../due-work.ts';
import type { Storage } from '../../store/storage.ts';
import type { Log } from '../telemetry.ts';
import type { Database } from '../../store/tenant.ts';
import { createOutcomes, type OutcomeBatches } from './outcomes.ts';
import type { AnyQueue, ClaimCapacity, ClaimedRow, ClaimQueue, RowOutcome } from './queue.ts';
import { createCompanySlots, type CompanySlots } from './slots.ts';

// How often the queue's sweep runs.
const SWEEP_MS = 5_000;
// A lease is renewed this many times before it would end, so that some renewals may fail.
const RENEWALS_PER_LEASE = 4;
// How long a stop waits until the last outcomes are stored, in addition to the time of the longest work on a row.
const OUTCOME_MS = 1_000;
// While the database is away, nothing new begins once this many outcomes wait to be stored.
const MAX_UNRECORDED = 1_000;

export interface ClaimLoop {
  /** The poll by which this process notices rows that another process has queued. */
  dueWork: DueWork;
  /** Looks for work at once, because this process has queued some. */
  wake(): void;
  /** Claims nothing more, waits for the work in progress and stores its outcomes. */
  stop(): Promise<void>;
}

interface LoopServices {
  storage: Storage;
  database: Pick<Database, 'wakeUps'>;
  log: Log;
}

interface LoopState extends LoopServices {
  queue: AnyQueue;
  companies: CompanySlots;
  outcomes: OutcomeBatches;
  /** The rows whose claims are renewed: those in progress and, where outcomes decide, those whose outcome is not stored yet. */
  running: Set<ClaimedRow>;
  /** The company that was served last; the next claim goes on after it. */
  after: string;
  stopping: AbortController;
  claiming: boolean;
  /** Whether a look for work is scheduled in this turn of the event loop already. */
  soon: boolean;
  /** Whether another claim was requested while one was under way. */
  again: boolean;
  /** Rises whenever this process notices that something was queued. */
  queued: number;
  /** Whether the last claim took all that it could: another claim would find nothing until something is queued. */
  dry: boolean;
  /** Lets a stop end once nothing is in progress; does nothing before a stop sets it. */
  rest: () => void;
}

export function startClaimLoop<Row extends ClaimedRow, Outcome extends RowOutcome>(
  queue: ClaimQueue<Row, Outcome>,
  { storage, database, log }: LoopServices,
): ClaimLoop {
  const loop: LoopState = {
    storage,
    database,
    log,
    queue,
    companies: createCompanySlots(queue.slotsPerCompany, queue.slowMs),
    outcomes: createOutcomes(queue, log, () => loop.rest()),
    running: new Set(),
    after: '',
    stopping: new AbortController(),
    claiming: false,
    soon: false,
    again: false,
    queued: 0,
    dry: false,
    rest: () => undefined,
  };
  const wake = (): void => wakeLoop(loop);
  const unsubscribe = database.wakeUps.listen(queue.name, wake);
  const timers = [setInterval(() => void queue.sweep?.(), SWEEP_MS)];
  if (queue.leaseSeconds)
    timers.push(setInterval(() => void renewLeases(loop), (queue.leaseSeconds * 1_000) / RENEWALS_PER_LEASE));
  void queue.sweep?.();
  void claimWhileSlotsAreFree(loop);
  return {
    dueWork: { due: queue.waiting, begin: wake },
    wake,
    stop: async () => {
      unsubscribe();
      loop.stopping.abort();
      await finishWork(loop);
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Waits for the work in progress. */
function finishWork(loop: LoopState): Promise<void> {
  return new Promise((resolve) => {
    loop.rest = () => void (isLoopAtRest(loop) && resolve());
    loop.rest();
    // The database may be unreachable: rows that are left without an outcome are settled by the queue's sweep, or their leases end.
    setTimeout(resolve, loop.queue.actMs + OUTCOME_MS).unref();
  });
}

const isLoopAtRest = ({ companies, claiming, outcomes }: LoopState): boolean =>
  companies.busy() === 0 && !claiming && outcomes.waiting() === 0;

/** Called when a row was queued: looks for work. */
function wakeLoop(loop: LoopState): void {
  loop.queued += 1;
  loop.dry = false;
  void claimWhileSlotsAreFree(loop);
}

async function renewLeases({ queue, running, log }: LoopState): Promise<void> {
  if (running.size === 0) return;
  try {
    await queue.renew?.([...running]);
  } catch (error) {
    // Failure policy: the next renewal comes before the leases end. Without any, other workers take the rows, and outcomes of this one are
    // not stored.
    log.warn({ err: error }, `${queue.name}: claims could not be renewed`);
  }
}

/** Claims rows until none waits or no slot is free. Never throws. */
async function claimWhileSlotsAreFree(loop: LoopState): Promise<void> {
  loop.again = loop.claiming;
  if (loop.claiming || loop.stopping.signal.aborted) return;
  loop.claiming = true;
  do {
    loop.again = false;
    try {
      while (await claimOnce(loop));
    } catch (error) {
      // Failure policy: this process treats the claim as not made, and tries again at the next poll.
      loop.log.warn({ err: error }, `${loop.queue.name}: claiming failed`);
    }
  } while (loop.again);
  loop.claiming = false;
  loop.rest();
}

/** Makes one claim, and begins the work on each of its rows. Returns false when nothing is left to claim now. */
async function claimOnce(loop: LoopState): Promise<boolean> {
  const { queue, companies, outcomes, storage, after, stopping } = loop;
  const slots = queue.slots - companies.busy();
  // A claim is a write: on a full disk the rows stay in the queue.
  const isAllowed = !stopping.signal.aborted && outcomes.waiting() < MAX_UNRECORDED && storage.hasRoom;
  if (slots <= 0 || loop.dry || !isAllowed) return false;
  const { queued } = loop;
  const shares = { first: companies.first, free: companies.free() };
  const { claimed, dismissed } = await storage.write(async () => {
    await queue.requeue?.();
    return queue.claim({ slots, ...shares, after });
  });
  for (const row of claimed) void workOnRow(loop, row);
  loop.after = lastServedCompany(claimed, after);
  const count = claimed.length + dismissed;
  const isAll = dismissed === 0 && count < slots && !isShareSpent(claimed, shares);
  loop.dry = isAll && queued === loop.queued;
  return count > 0;
}

/** Whether some company got all the slots that it may have, so that more of its rows may wait. */
function isShareSpent(claimed: ClaimedRow[], { first, free }: Pick<ClaimCapacity, 'first' | 'free'>): boolean {
  const left = new Map(free);
  for (const { company } of claimed) left.set(company, (left.get(company) ?? first) - 1);
  return left.values().some((count) => count <= 0);
}

/** Works on one row. Never throws, so its slot always becomes free. */
async function workOnRow(loop: LoopState, row: ClaimedRow): Promise<void> {
  const slot = loop.companies.begin(row.company);
  loop.running.add(row);
  const outcome = await inBackground(() => loop.queue.act(row, loop.stopping.signal));
  slot.endWork();
  const end = (): void => {
    loop.running.delete(row);
    slot.free();
    scheduleClaims(loop);
  };
  const { outcomesDecide = false } = loop.queue;
  loop.outcomes.add(outcome, () => outcomesDecide && end());
  if (!outcomesDecide) end();
}

/** Schedules one look for work, however much work ends in the same turn of the event loop. */
function scheduleClaims(loop: LoopState): void {
  if (loop.soon) return;
  loop.soon = true;
  setImmediate(() => {
    loop.soon = false;
    void claimWhileSlotsAreFree(loop);
  });
}

/** Returns the company at which the round stands after this claim. The round goes by company id and starts anew after the highest one. */
export function lastServedCompany(claimed: Pick<ClaimedRow, 'company'>[], after: string): string {
  const companies = claimed.map((row) => row.company).toSorted();
  return companies.findLast((company) => company <= after) ?? companies.at(-1) ?? '';
}
