/** Stores the outcomes of a claim loop in batches: one statement for all that arrived while the previous one ran. */
import { isUnavailable } from '../../store/db.ts';
import type { Log } from '../telemetry.ts';
import type { AnyQueue, RowOutcome } from './queue.ts';

// The pause between two tries while the database does not accept anything.
const RETRY_MS = 500;
// After this many tries outcomes are stored one by one, because a single one may be what the database refuses.
const TRIES_TOGETHER = 4;
// An outcome that fails this often while others are stored is left out: the database works, so the outcome is the cause.
const MOST_MISSES = 20;
// A statement costs as much as thirty rows, so the next one waits for this time, or until this many outcomes are there.
const PAUSE_MS = 5;
const FULL = 64;

export interface OutcomeBatches {
  /** `settled` is called when the outcome is stored, or left out because the database refuses it. */
  add(outcome: RowOutcome, settled: () => void): void;
  /** The number of outcomes that are not stored yet. */
  waiting(): number;
}

interface Unstored {
  outcome: RowOutcome;
  settled(): void;
  /** How often it failed although others had been stored since the last time. */
  misses: number;
  /** How many outcomes had been stored when it failed last. */
  storedBefore: number;
}

interface OutcomesState {
  queue: Pick<AnyQueue, 'name' | 'record'>;
  log: Log;
  retryMs: number;
  waiting: Unstored[];
  /** How many outcomes have been stored. */
  stored: number;
  /** How many tries have failed since the last outcome was stored. */
  tries: number;
}

/** `rest` is called whenever a batch is stored. */
export function createOutcomes(
  queue: OutcomesState['queue'],
  log: Log,
  rest: () => void,
  retryMs = RETRY_MS,
): OutcomeBatches {
  const state: OutcomesState = { queue, log, retryMs, waiting: [], stored: 0, tries: 0 };
  const { waiting } = state;
  let writing = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  let pause: NodeJS.Timeout | null = null;

  function writeSoon(): void {
    if (writing || waiting.length === 0) return;
    const waitMs = lastMs + PAUSE_MS - performance.now();
    if (waiting.length >= FULL || waitMs <= 0) void write();
    else pause ??= setTimeout(() => void write(), waitMs);
  }

  async function write(): Promise<void> {
    if (pause) clearTimeout(pause);
    pause = null;
    if (writing || waiting.length === 0) return;
    writing = true;
    lastMs = performance.now();
    await writeAll(state);
    writing = false;
    writeSoon();
    rest();
  }

  return {
    add: (outcome, settled) => {
      waiting.push({ outcome, settled, misses: 0, storedBefore: Number.POSITIVE_INFINITY });
      setImmediate(writeSoon);
    },
    waiting: () => waiting.length,
  };
}

/** Tries once to store all that wait. Never throws. */
async function writeAll(state: OutcomesState): Promise<void> {
  try {
    await store(state, state.waiting.length);
  } catch (error) {
    state.tries += 1;
    if (isUnavailable(error) && state.tries < TRIES_TOGETHER) await waitForDatabase(state, error);
    else await writeOneByOne(state);
  }
}

/** Stores the first outcomes in one statement. */
async function store(state: OutcomesState, count: number): Promise<void> {
  const { queue, waiting } = state;
  await queue.record(waiting.slice(0, count).map(({ outcome }) => outcome));
  for (const { settled } of waiting.splice(0, count)) settled();
  state.stored += count;
  state.tries = 0;
}

/**
 * Failure policy: an outcome that the database never accepts must not hold up the others, so it is left out, and the queue's sweep settles its
 * row. One that it may accept later is tried again after the others.
 */
async function writeOneByOne(state: OutcomesState): Promise<void> {
  for (let left = state.waiting.length; left > 0; left -= 1) {
    try {
      await store(state, 1);
    } catch (error) {
      const refused = state.waiting.shift();
      if (refused) await passOver(state, refused, error);
    }
  }
}

async function passOver(state: OutcomesState, refused: Unstored, error: unknown): Promise<void> {
  const { queue, log, waiting, stored } = state;
  if (stored > refused.storedBefore) refused.misses += 1;
  refused.storedBefore = stored;
  if (isUnavailable(error) && refused.misses <= MOST_MISSES) {
    waiting.push(refused);
    return waitForDatabase(state, error);
  }
  log.error({ err: error, row: refused.outcome._id }, `${queue.name}: an outcome cannot be stored`);
  refused.settled();
}

/** Failure policy: the work was done, and without its outcome nobody would know, so storing is tried again. */
async function waitForDatabase({ queue, log, waiting, retryMs }: OutcomesState, error: unknown): Promise<void> {
  log.warn({ err: error, outcomes: waiting.length }, `${queue.name}: outcomes wait to be written`);
  await new Promise((resolve) => setTimeout(resolve, retryMs));
}
