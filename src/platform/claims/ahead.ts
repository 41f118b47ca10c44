/**
 * Rows that this process has claimed before it has free slots for them, so that a slot that becomes free need not wait for a commit. The
 * work on such a row begins only after the database has noted it as begun. When the process dies, the rows that it has not begun return to
 * the queue.
 */
import { newId } from '../ids.ts';
import type { Log } from '../telemetry.ts';
import type { AheadStatements, AnyQueue, ClaimedRow, RowOutcome } from './queue.ts';
import type { CompanySlots } from './slots.ts';

// A statement costs as much as thirty rows. While fewer than half of the slots are free, two statements are at least this far apart.
const PAUSE_MS = 5;
// A row that was claimed ahead and found no free slot within this time returns to the queue: another worker may have a slot, and
// later the sweep treats the claim as abandoned.
const HELD_MS = 1_000;

export interface ClaimsAhead {
  /** The number of rows that are claimed and have not begun. */
  size(): number;
  /** The id under which this worker claims rows ahead. */
  worker(): Promise<string>;
  hold(rows: ClaimedRow[]): void;
  /** Begins the work on rows that were claimed ahead, as many as there are free slots. Never throws. */
  begin(): Promise<void>;
  /** Removes rows whose outcome is stored from the list of begun ones. */
  forget(outcomes: RowOutcome[]): void;
  /** Returns rows to the queue that have waited too long for a slot. */
  giveBackStale(): void;
  giveBackAll(): void;
  /** True when no row that was claimed ahead is waiting and no statement is in progress. */
  isAtRest(): boolean;
}

interface AheadParts {
  queue: Pick<AnyQueue, 'name' | 'slots' | 'ahead'>;
  log: Log;
  companies: CompanySlots;
  /** Returns how many rows the process may begin to work on now. */
  slots: () => number;
  start(row: ClaimedRow): void;
  /** Called whenever isAtRest() may have become true. */
  rest: () => void;
}

interface AheadWorker {
  id: string;
  turn: number;
  /** The seq of each row that was begun under this id and whose outcome is not stored yet. */
  begun: Set<string>;
}

interface AheadState extends AheadParts {
  worker: AheadWorker | null;
  held: { row: ClaimedRow; sinceMs: number }[];
  /** The number of rows that are about to begin. */
  beginning: number;
  /** The number of statements under way that return rows to the queue. */
  returning: number;
  lastMs: number;
  pause: NodeJS.Timeout | null;
}

export function createClaimsAhead(parts: AheadParts): ClaimsAhead {
  const nothing = { worker: null, held: [], beginning: 0, returning: 0, pause: null };
  const state: AheadState = { ...parts, ...nothing, lastMs: Number.NEGATIVE_INFINITY };
  return {
    size: () => state.held.length + state.beginning,
    worker: async () => (state.worker ??= await createWorker(state)).id,
    hold: (rows) => holdRows(state, rows),
    begin: () => beginHeld(state),
    forget: (outcomes) => {
      for (const { seq } of outcomes) state.worker?.begun.delete(seq);
    },
    giveBackStale: () => {
      const limitMs = performance.now() - HELD_MS;
      const count = state.held.findLastIndex(({ sinceMs }) => sinceMs < limitMs) + 1;
      returnToQueue(state, takeHeld(state, count));
    },
    giveBackAll: () => returnToQueue(state, takeHeld(state, state.held.length)),
    isAtRest: () => state.held.length + state.beginning + state.returning === 0,
  };
}

/** Only a queue with these statements claims ahead, so nothing is held without them. */
function requireAheadStatements({ queue }: AheadState): AheadStatements<ClaimedRow> {
  if (!queue.ahead) throw new Error(`${queue.name}: nothing of this queue is claimed ahead`);
  return queue.ahead;
}

const takeHeld = ({ held }: AheadState, count: number): ClaimedRow[] => held.splice(0, count).map(({ row }) => row);

async function createWorker(state: AheadState): Promise<AheadWorker> {
  const id = newId();
  await requireAheadStatements(state).register(id);
  return { id, turn: 0, begun: new Set() };
}

function holdRows(state: AheadState, rows: ClaimedRow[]): void {
  const sinceMs = performance.now();
  const isMine = (row: ClaimedRow): boolean => row.claimed_by === state.worker?.id;
  state.held.push(...rows.filter(isMine).map((row) => ({ row, sinceMs })));
  returnToQueue(
    state,
    rows.filter((row) => !isMine(row)),
  );
}

async function beginHeld(state: AheadState): Promise<void> {
  if (state.beginning > 0) return;
  while (state.worker && isStatementWorthwhile(state)) {
    const picked = pickBeginnable(state);
    if (picked.length === 0) break;
    state.beginning = picked.length;
    state.lastMs = performance.now();
    try {
      await beginPicked(state, state.worker, picked);
    } catch (error) {
      // Failure policy: after an error it is unknown whether the database has stored these rows as begun. So the work on them does not begin,
      // they return to the queue, and the worker registers under a new id.
      state.log.warn({ err: error }, `${state.queue.name}: what was claimed ahead can not begin`);
      state.worker = null;
      returnToQueue(state, [...picked, ...takeHeld(state, state.held.length)]);
    }
    state.beginning = 0;
  }
  state.rest();
}

/** True when enough slots are free to make a statement worth its cost. If not, a timer tries again after the pause. */
function isStatementWorthwhile(state: AheadState): boolean {
  const slots = Math.min(state.held.length, state.slots());
  const waitMs = state.lastMs + PAUSE_MS - performance.now();
  if (slots <= 0) return false;
  if (waitMs <= 0 || slots >= state.queue.slots / 2) return true;
  state.pause ??= setTimeout(() => {
    state.pause = null;
    void beginHeld(state);
  }, waitMs);
  return false;
}

/** Picks the rows claimed ahead that may begin now. Those of a company whose work has become slow return to the queue. */
function pickBeginnable(state: AheadState): ClaimedRow[] {
  const picked: ClaimedRow[] = [];
  const refused: ClaimedRow[] = [];
  const besides = new Map<string, number>();
  const slots = state.slots();
  while (slots > picked.length && state.held.length > 0) {
    const [row] = takeHeld(state, 1) as [ClaimedRow];
    const count = besides.get(row.company) ?? 0;
    const may = state.companies.mayBegin(row.company, count);
    if (may) besides.set(row.company, count + 1);
    (may ? picked : refused).push(row);
  }
  returnToQueue(state, refused);
  return picked;
}

async function beginPicked(state: AheadState, worker: AheadWorker, picked: ClaimedRow[]): Promise<void> {
  for (const { seq } of picked) worker.begun.add(seq);
  worker.turn += 1;
  const beginning = { worker: worker.id, turn: worker.turn, begun: [...worker.begun], held: picked };
  const valid = await requireAheadStatements(state).begin(beginning);
  if (valid === null) throw new Error('this worker was closed');
  const may = new Set(valid);
  const refused = picked.filter(({ seq }) => !may.has(seq));
  for (const { seq } of refused) worker.begun.delete(seq);
  returnToQueue(state, refused);
  for (const row of picked) if (may.has(row.seq)) state.start(row);
}

function returnToQueue(state: AheadState, rows: ClaimedRow[]): void {
  for (const { company } of rows) state.companies.withdraw(company);
  for (const [worker, its] of Map.groupBy(rows, ({ claimed_by }) => claimed_by ?? '')) {
    void returnOnce(state, worker, its);
  }
}

/**
 * Failure policy: the statement is not repeated, because a repetition that arrives late could undo a later claim; the sweep returns to the
 * queue what is left.
 */
async function returnOnce(state: AheadState, worker: string, rows: ClaimedRow[]): Promise<void> {
  state.returning += 1;
  try {
    await requireAheadStatements(state).giveBack(worker, rows);
  } catch (error) {
    state.log.warn({ err: error, rows: rows.length }, `${state.queue.name}: giving back failed; the sweep will do it`);
  }
  state.returning -= 1;
  state.rest();
}
