/**
 * The loop that works on a queue table: it claims as many rows as it has free slots, a few of each company in turn, acts on each once, and
 * stores the outcomes in batches. A claim is committed before anything is done, so a process that dies can leave work undone but never does
 * it twice. A busy loop claims more than it has slots for, so that the next commit runs during the work. Work that hangs occupies only the
 * slots of its own company.
 */
import type { DueWork } from '../due-work.ts';
import type { Storage } from '../storage.ts';
import type { Log } from '../telemetry.ts';
import { createAhead, type Ahead } from './ahead.ts';
import { createOutcomes, type Outcomes } from './outcomes.ts';
import type { AnyQueue, Capacity, ClaimedRow, Queue, RowOutcome } from './queue.ts';
import { createCompanySlots, type CompanySlots } from './slots.ts';

// How often the loop looks for rows that are held for too long.
const STALE_LOOK_MS = 500;
// How often the queue's sweep runs.
const SWEEP_MS = 5_000;
// How long a stop waits for the last outcomes to be stored, beyond the longest act.
const OUTCOME_MS = 1_000;
// How much is claimed ahead, as a multiple of the acts that ended during the last claim: with a smaller factor, slots stay empty when one
// claim takes longer than the one before. A statement costs as much as thirty rows, so a claim is made only when it can bring at least half
// of this.
const AHEAD_FACTOR = 3;
const AHEAD_PER_SLOT = 2;
// While the database is away, nothing new begins once this many outcomes wait to be stored.
const MAX_UNRECORDED = 1_000;

export interface ClaimLoop {
  /** How this process notices rows that another process has queued. */
  dueWork: DueWork;
  /** Looks for work at once, because this process has queued some. */
  wake(): void;
  /** Claims nothing more, waits for the work in progress and stores its outcomes. */
  stop(): Promise<void>;
}

interface Process {
  storage: Storage;
  log: Log;
}

type Room = Pick<Capacity, 'slots' | 'ahead' | 'worker'>;

interface Loop extends Process {
  queue: AnyQueue;
  companies: CompanySlots;
  ahead: Ahead;
  outcomes: Outcomes;
  /** Slots that are kept free for the claim under way. */
  reserved: number;
  /** Acts that have ended since the last claim was begun. */
  ended: number;
  /** Acts that ended while the last claim was under way. */
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
  queue: Queue<Row, Outcome>,
  { storage, log }: Process,
): ClaimLoop {
  const companies = createCompanySlots(queue.slotsPerCompany);
  const rest = (): void => loop.rest();
  const loop: Loop = {
    storage,
    log,
    queue,
    companies,
    ahead: createAhead({
      queue,
      log,
      companies,
      slots: () => freeSlots(loop),
      start: (row) => void run(loop, row),
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
  void pump(loop);
  return {
    dueWork: { due: queue.waiting, begin: () => wake(loop) },
    wake: () => wake(loop),
    stop: () => {
      clearInterval(staleLook);
      clearInterval(sweeper);
      return finish(loop);
    },
  };
}

/** Lets nothing new begin and waits for what is in progress. */
function finish(loop: Loop): Promise<void> {
  loop.stopping = true;
  loop.ahead.giveBackAll();
  return new Promise((resolve) => {
    loop.rest = () => void (isAtRest(loop) && resolve());
    loop.rest();
    // The database may be away: what the sweep finds later without an outcome is settled by the queue's own rule.
    setTimeout(resolve, loop.queue.actMs + OUTCOME_MS).unref();
  });
}

const isAtRest = ({ companies, claiming, ahead, outcomes }: Loop): boolean =>
  companies.busy() === 0 && !claiming && ahead.isAtRest() && outcomes.waiting() === 0;

const freeSlots = ({ queue, companies, reserved }: Loop): number => queue.slots - companies.busy() - reserved;

/** Called when a row was queued: looks for work. */
function wake(loop: Loop): void {
  loop.queued += 1;
  loop.dry = false;
  void pump(loop);
}

/** Begins held rows, and claims until nothing waits or no slot is free. Never throws. */
async function pump(loop: Loop): Promise<void> {
  void loop.ahead.begin();
  loop.again = loop.claiming;
  if (loop.claiming || loop.stopping) return;
  loop.claiming = true;
  do {
    loop.again = false;
    try {
      while (await claimOnce(loop));
    } catch (error) {
      // Failure policy: this process knows of nothing that it claimed; the next poll tries again.
      loop.log.warn({ err: error }, `${loop.queue.name}: claiming failed`);
    }
  } while (loop.again);
  loop.claiming = false;
  loop.rest();
}

/** Makes one claim. Returns false when nothing is left to claim now. */
async function claimOnce(loop: Loop): Promise<boolean> {
  const { ahead, outcomes, storage } = loop;
  // A claim is a write: on a full disk the rows stay in the queue.
  if (loop.stopping || loop.dry || outcomes.waiting() >= MAX_UNRECORDED || !storage.hasRoom) return false;
  const worker = wantedAhead(loop) > 0 ? await ahead.worker() : null;
  // The rows that are held already get the free slots first.
  const left = freeSlots(loop) - ahead.size();
  const wanted = worker === null ? 0 : wantedAhead(loop);
  const room: Room = { slots: Math.max(0, left), ahead: Math.max(0, wanted + Math.min(0, left)), worker };
  if (room.slots === 0 && 2 * room.ahead <= wanted) return false;
  const { queued } = loop;
  loop.reserved = room.slots;
  loop.ended = 0;
  try {
    const { count, isAll } = await claim(loop, room);
    loop.dry = isAll && queued === loop.queued;
    return count > 0;
  } finally {
    loop.pace = loop.ended;
    loop.reserved = 0;
    void ahead.begin();
  }
}

/** How many rows to claim ahead: none while at least half of the slots are free, for then each act begins with its claim. */
function wantedAhead({ queue, companies, ahead, pace }: Loop): number {
  if (!queue.ahead || companies.busy() + ahead.size() < queue.slots / 2) return 0;
  return Math.min(AHEAD_FACTOR * pace, AHEAD_PER_SLOT * queue.slots);
}

/** Begins the rows that have a slot and holds the rest. Returns how many left the queue, and whether it is empty now. */
async function claim(loop: Loop, room: Room): Promise<{ count: number; isAll: boolean }> {
  const { queue, companies, ahead, after, storage } = loop;
  const shares = { first: companies.first, free: companies.free() };
  const { claimed, dismissed } = await storage.write(() => queue.claim({ ...room, ...shares, after }));
  for (const { company } of claimed) companies.claim(company);
  for (const row of claimed) if (row.claimed_by === null) void run(loop, row);
  ahead.hold(claimed.filter((row) => row.claimed_by !== null));
  if (loop.stopping) ahead.giveBackAll();
  loop.after = lastInTurn(claimed, after);
  const count = claimed.length + dismissed;
  const isAll = dismissed === 0 && count < room.slots + room.ahead && !isShareSpent(claimed, shares);
  return { count, isAll };
}

/** Whether some company got all the slots that it may have, so that more of its rows may wait. */
function isShareSpent(claimed: ClaimedRow[], { first, free }: Pick<Capacity, 'first' | 'free'>): boolean {
  const left = new Map(free);
  for (const { company } of claimed) left.set(company, (left.get(company) ?? first) - 1);
  return left.values().some((count) => count <= 0);
}

/** Works on one row. Never throws, so its slot always becomes free. */
async function run(loop: Loop, row: ClaimedRow): Promise<void> {
  const freeSlot = loop.companies.begin(row.company);
  const outcome = await loop.queue.act(row);
  freeSlot();
  loop.ended += 1;
  loop.outcomes.add(outcome);
  pumpSoon(loop);
}

/** Schedules one look for work for all acts that end in the same turn of the event loop. */
function pumpSoon(loop: Loop): void {
  if (loop.soon) return;
  loop.soon = true;
  setImmediate(() => {
    loop.soon = false;
    void pump(loop);
  });
}

/** Returns the company at which the round stands after this claim. The round goes by company id and starts anew after the highest one. */
function lastInTurn(claimed: ClaimedRow[], after: string): string {
  const companies = claimed.map((row) => row.company).toSorted();
  return companies.findLast((company) => company <= after) ?? companies.at(-1) ?? '';
}
