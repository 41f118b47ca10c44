/**
 * The loop that works on a queue table: it claims as many rows as it has free slots, a few of each company in turn, does the work of each
 * row once, and stores the outcomes in batches. A claim is committed before its work begins, so a process that dies can leave work undone
 * but never does it twice. A busy loop claims more rows than it has slots, so that the next commit runs during the work. Work that hangs
 * occupies only the slots of its own company.
 */
import type { DueWork } from '../due-work.ts';
import type { Storage } from '../storage.ts';
import type { Log } from '../telemetry.ts';
import { createClaimsAhead, type ClaimsAhead } from './ahead.ts';
import { createOutcomes, type OutcomeBatches } from './outcomes.ts';
import type { AnyQueue, ClaimCapacity, ClaimedRow, ClaimQueue, RowOutcome } from './queue.ts';
import { createCompanySlots, type CompanySlots } from './slots.ts';

// How often the loop returns rows to the queue that have waited too long for a slot.
const STALE_LOOK_MS = 500;
// How often the queue's sweep runs.
const SWEEP_MS = 5_000;
// How long a stop waits until the last outcomes are stored, in addition to the time of the longest work on a row.
const OUTCOME_MS = 1_000;
// The number of rows to claim ahead, as a multiple of those whose work ended during the last claim. With a smaller factor, slots stay empty
// when one claim takes longer than the one before. A statement costs as much as thirty rows, so a claim is made only when it can bring at
// least half of this number.
const AHEAD_FACTOR = 3;
const AHEAD_PER_SLOT = 2;
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
  log: Log;
}

type ClaimRoom = Pick<ClaimCapacity, 'slots' | 'ahead' | 'worker'>;

interface LoopState extends LoopServices {
  queue: AnyQueue;
  companies: CompanySlots;
  ahead: ClaimsAhead;
  outcomes: OutcomeBatches;
  /** The slots that are reserved for the rows of the claim in progress. */
  reserved: number;
  /** The number of rows whose work has ended since the last claim began. */
  ended: number;
  /** The number of rows whose work ended during the last claim. */
  pace: number;
  /** The company that was served last; the next claim goes on after it. */
  after: string;
  stopping: boolean;
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
  { storage, log }: LoopServices,
): ClaimLoop {
  const companies = createCompanySlots(queue.slotsPerCompany, queue.slowMs);
  const rest = (): void => loop.rest();
  const loop: LoopState = {
    storage,
    log,
    queue,
    companies,
    ahead: createClaimsAhead({
      queue,
      log,
      companies,
      slots: () => countFreeSlots(loop),
      start: (row) => void workOnRow(loop, row),
      rest,
    }),
    outcomes: createOutcomes(queue, log, { stored: (outcomes) => loop.ahead.forget(outcomes), rest }),
    reserved: 0,
    ended: 0,
    pace: 0,
    after: '',
    stopping: false,
    claiming: false,
    soon: false,
    again: false,
    queued: 0,
    dry: false,
    rest: () => undefined,
  };
  const staleLook = setInterval(() => loop.ahead.giveBackStale(), STALE_LOOK_MS);
  const sweeper = setInterval(() => void queue.sweep(), SWEEP_MS);
  void queue.sweep();
  void claimWhileSlotsAreFree(loop);
  return {
    dueWork: { due: queue.waiting, begin: () => wakeLoop(loop) },
    wake: () => wakeLoop(loop),
    stop: () => {
      clearInterval(staleLook);
      clearInterval(sweeper);
      return finishWork(loop);
    },
  };
}

/** Prevents further work and waits for the work in progress. */
function finishWork(loop: LoopState): Promise<void> {
  loop.stopping = true;
  loop.ahead.giveBackAll();
  return new Promise((resolve) => {
    loop.rest = () => void (isLoopAtRest(loop) && resolve());
    loop.rest();
    // The database may be unreachable: the queue's sweep later settles the rows that are left without an outcome.
    setTimeout(resolve, loop.queue.actMs + OUTCOME_MS).unref();
  });
}

const isLoopAtRest = ({ companies, claiming, ahead, outcomes }: LoopState): boolean =>
  companies.busy() === 0 && !claiming && ahead.isAtRest() && outcomes.waiting() === 0;

const countFreeSlots = ({ queue, companies, reserved }: LoopState): number => queue.slots - companies.busy() - reserved;

/** Called when a row was queued: looks for work. */
function wakeLoop(loop: LoopState): void {
  loop.queued += 1;
  loop.dry = false;
  void claimWhileSlotsAreFree(loop);
}

/** Begins rows that were claimed ahead, and claims further rows until none waits or no slot is free. Never throws. */
async function claimWhileSlotsAreFree(loop: LoopState): Promise<void> {
  void loop.ahead.begin();
  loop.again = loop.claiming;
  if (loop.claiming || loop.stopping) return;
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

/** Makes one claim. Returns false when nothing is left to claim now. */
async function claimOnce(loop: LoopState): Promise<boolean> {
  const { ahead, outcomes, storage } = loop;
  // A claim is a write: on a full disk the rows stay in the queue.
  if (loop.stopping || loop.dry || outcomes.waiting() >= MAX_UNRECORDED || !storage.hasRoom) return false;
  const worker = countWantedAhead(loop) > 0 ? await ahead.worker() : null;
  // Rows that were claimed ahead get the free slots first.
  const left = countFreeSlots(loop) - ahead.size();
  const wanted = worker === null ? 0 : countWantedAhead(loop);
  const room: ClaimRoom = { slots: Math.max(0, left), ahead: Math.max(0, wanted + Math.min(0, left)), worker };
  if (room.slots === 0 && 2 * room.ahead <= wanted) return false;
  const { queued } = loop;
  loop.reserved = room.slots;
  loop.ended = 0;
  try {
    const { count, isAll } = await claimRows(loop, room);
    loop.dry = isAll && queued === loop.queued;
    return count > 0;
  } finally {
    loop.pace = loop.ended;
    loop.reserved = 0;
    void ahead.begin();
  }
}

/**
 * The number of rows to claim ahead: none while at least half of the slots are free, because then the work on each row begins right after
 * its claim.
 */
function countWantedAhead({ queue, companies, ahead, pace }: LoopState): number {
  if (!queue.ahead || companies.busy() + ahead.size() < queue.slots / 2) return 0;
  return Math.min(AHEAD_FACTOR * pace, AHEAD_PER_SLOT * queue.slots);
}

/**
 * Begins the work on as many rows as there are slots, and keeps the other rows until a slot is free. Returns how many rows left the queue,
 * and whether the queue is empty now.
 */
async function claimRows(loop: LoopState, room: ClaimRoom): Promise<{ count: number; isAll: boolean }> {
  const { queue, companies, ahead, after, storage } = loop;
  const shares = { first: companies.first, free: companies.free() };
  const { claimed, dismissed } = await storage.write(() => queue.claim({ ...room, ...shares, after }));
  for (const { company } of claimed) companies.claim(company);
  for (const row of claimed) if (row.claimed_by === null) void workOnRow(loop, row);
  ahead.hold(claimed.filter((row) => row.claimed_by !== null));
  if (loop.stopping) ahead.giveBackAll();
  loop.after = lastServedCompany(claimed, after);
  const count = claimed.length + dismissed;
  const isAll = dismissed === 0 && count < room.slots + room.ahead && !isShareSpent(claimed, shares);
  return { count, isAll };
}

/** Whether some company got all the slots that it may have, so that more of its rows may wait. */
function isShareSpent(claimed: ClaimedRow[], { first, free }: Pick<ClaimCapacity, 'first' | 'free'>): boolean {
  const left = new Map(free);
  for (const { company } of claimed) left.set(company, (left.get(company) ?? first) - 1);
  return left.values().some((count) => count <= 0);
}

/** Works on one row. Never throws, so its slot always becomes free. */
async function workOnRow(loop: LoopState, row: ClaimedRow): Promise<void> {
  const freeSlot = loop.companies.begin(row.company);
  const outcome = await loop.queue.act(row);
  freeSlot();
  loop.ended += 1;
  loop.outcomes.add(outcome);
  scheduleClaims(loop);
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
function lastServedCompany(claimed: ClaimedRow[], after: string): string {
  const companies = claimed.map((row) => row.company).toSorted();
  return companies.findLast((company) => company <= after) ?? companies.at(-1) ?? '';
}
