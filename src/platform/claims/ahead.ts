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

export interface Ahead {
  /** The number of rows that are claimed and have not begun. */
  size(): number;
  /** The id under which this worker claims rows ahead. */
  worker(): Promise<string>;
  hold(rows: ClaimedRow[]): void;
  /** Begins held rows, as many as there are free slots. Never throws. */
  begin(): Promise<void>;
  /** Removes rows whose outcome is stored from the list of begun ones. */
  forget(outcomes: RowOutcome[]): void;
  /** Returns the rows that were held for too long to the queue. */
  giveBackStale(): void;
  giveBackAll(): void;
  /** Whether no row is held and no statement is under way. */
  isAtRest(): boolean;
}

interface Parts {
  queue: Pick<AnyQueue, 'name' | 'slots' | 'ahead'>;
  log: Log;
  companies: CompanySlots;
  /** Returns how many rows the process may begin to work on now. */
  slots: () => number;
  start(row: ClaimedRow): void;
  /** Called whenever isAtRest() may have become true. */
  rest: () => void;
}

interface Worker {
  id: string;
  turn: number;
  /** The seq of each row that was begun under this id and whose outcome is not stored yet. */
  begun: Set<string>;
}

interface State extends Parts {
  worker: Worker | null;
  held: { row: ClaimedRow; sinceMs: number }[];
  /** The number of rows that are about to begin. */
  beginning: number;
  /** The number of statements under way that return rows to the queue. */
  returning: number;
  lastMs: number;
  pause: NodeJS.Timeout | null;
}

export function createAhead(parts: Parts): Ahead {
  const nothing = { worker: null, held: [], beginning: 0, returning: 0, pause: null };
  const state: State = { ...parts, ...nothing, lastMs: Number.NEGATIVE_INFINITY };
  return {
    size: () => state.held.length + state.beginning,
    worker: async () => (state.worker ??= await createWorker(state)).id,
    hold: (rows) => hold(state, rows),
    begin: () => begin(state),
    forget: (outcomes) => {
      for (const { seq } of outcomes) state.worker?.begun.delete(seq);
    },
    giveBackStale: () => {
      const limitMs = performance.now() - HELD_MS;
      const count = state.held.findLastIndex(({ sinceMs }) => sinceMs < limitMs) + 1;
      putBack(state, take(state, count));
    },
    giveBackAll: () => putBack(state, take(state, state.held.length)),
    isAtRest: () => state.held.length + state.beginning + state.returning === 0,
  };
}

/** Only a queue with these statements claims ahead, so nothing is held without them. */
function statements({ queue }: State): AheadStatements<ClaimedRow> {
  if (!queue.ahead) throw new Error(`${queue.name}: nothing of this queue is claimed ahead`);
  return queue.ahead;
}

const take = ({ held }: State, count: number): ClaimedRow[] => held.splice(0, count).map(({ row }) => row);

async function createWorker(state: State): Promise<Worker> {
  const id = newId();
  await statements(state).register(id);
  return { id, turn: 0, begun: new Set() };
}

function hold(state: State, rows: ClaimedRow[]): void {
  const sinceMs = performance.now();
  const isMine = (row: ClaimedRow): boolean => row.claimed_by === state.worker?.id;
  state.held.push(...rows.filter(isMine).map((row) => ({ row, sinceMs })));
  putBack(
    state,
    rows.filter((row) => !isMine(row)),
  );
}

async function begin(state: State): Promise<void> {
  if (state.beginning > 0) return;
  while (state.worker && isWorthwhile(state)) {
    const picked = pick(state);
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
      putBack(state, [...picked, ...take(state, state.held.length)]);
    }
    state.beginning = 0;
  }
  state.rest();
}

/** Whether enough slots are free to pay for a statement now. If not, a timer tries again after the pause. */
function isWorthwhile(state: State): boolean {
  const slots = Math.min(state.held.length, state.slots());
  const waitMs = state.lastMs + PAUSE_MS - performance.now();
  if (slots <= 0) return false;
  if (waitMs <= 0 || slots >= state.queue.slots / 2) return true;
  state.pause ??= setTimeout(() => {
    state.pause = null;
    void begin(state);
  }, waitMs);
  return false;
}

/** Picks the held rows that may begin now. Those of a company whose work has become slow return to the queue. */
function pick(state: State): ClaimedRow[] {
  const picked: ClaimedRow[] = [];
  const refused: ClaimedRow[] = [];
  const besides = new Map<string, number>();
  const slots = state.slots();
  while (slots > picked.length && state.held.length > 0) {
    const [row] = take(state, 1) as [ClaimedRow];
    const count = besides.get(row.company) ?? 0;
    const may = state.companies.mayBegin(row.company, count);
    if (may) besides.set(row.company, count + 1);
    (may ? picked : refused).push(row);
  }
  putBack(state, refused);
  return picked;
}

async function beginPicked(state: State, worker: Worker, picked: ClaimedRow[]): Promise<void> {
  for (const { seq } of picked) worker.begun.add(seq);
  worker.turn += 1;
  const beginning = { worker: worker.id, turn: worker.turn, begun: [...worker.begun], held: picked };
  const valid = await statements(state).begin(beginning);
  if (valid === null) throw new Error('this worker was closed');
  const may = new Set(valid);
  const refused = picked.filter(({ seq }) => !may.has(seq));
  for (const { seq } of refused) worker.begun.delete(seq);
  putBack(state, refused);
  for (const row of picked) if (may.has(row.seq)) state.start(row);
}

function putBack(state: State, rows: ClaimedRow[]): void {
  for (const { company } of rows) state.companies.withdraw(company);
  for (const [worker, its] of Map.groupBy(rows, ({ claimed_by }) => claimed_by ?? '')) {
    void giveBackOnce(state, worker, its);
  }
}

/**
 * Failure policy: the statement is not repeated, because a repetition that arrives late could undo a later claim; the sweep returns to the
 * queue what is left.
 */
async function giveBackOnce(state: State, worker: string, rows: ClaimedRow[]): Promise<void> {
  state.returning += 1;
  try {
    await statements(state).giveBack(worker, rows);
  } catch (error) {
    state.log.warn({ err: error, rows: rows.length }, `${state.queue.name}: giving back failed; the sweep will do it`);
  }
  state.returning -= 1;
  state.rest();
}
