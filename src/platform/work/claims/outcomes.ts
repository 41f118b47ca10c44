/** Stores the outcomes of a claim loop in batches: one statement for all that arrived while the previous one ran. */
import { isUnavailable } from '../../store/db.ts';
import type { Log } from '../telemetry.ts';
import type { AnyQueue, RowOutcome } from './queue.ts';

// The pause between two tries while the database is away.
const RETRY_MS = 500;
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
}

function settle(outcomes: Unstored[]): void {
  for (const { settled } of outcomes) settled();
}

/** `rest` is called whenever a batch is stored. */
export function createOutcomes(queue: AnyQueue, log: Log, rest: () => void): OutcomeBatches {
  const outcomes: Unstored[] = [];
  let writing = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  let pause: NodeJS.Timeout | null = null;

  function writeSoon(): void {
    if (writing || outcomes.length === 0) return;
    const waitMs = lastMs + PAUSE_MS - performance.now();
    if (outcomes.length >= FULL || waitMs <= 0) void write();
    else pause ??= setTimeout(() => void write(), waitMs);
  }

  async function write(): Promise<void> {
    if (pause) clearTimeout(pause);
    pause = null;
    if (writing) return;
    writing = true;
    lastMs = performance.now();
    // Failure policy: an outcome that the database never accepts must not hold up the others. Then outcomes are stored one by one, and the
    // refused one is left out: the queue's sweep settles its row.
    let oneByOne = false;
    do {
      const batch = outcomes.slice(0, oneByOne ? 1 : outcomes.length);
      try {
        await queue.record(batch.map(({ outcome }) => outcome));
        settle(outcomes.splice(0, batch.length));
      } catch (error) {
        if (isUnavailable(error)) await waitForDatabase(batch.length, error);
        else if (batch.length === 1) leaveOut(error);
        oneByOne ||= !isUnavailable(error);
      }
    } while (oneByOne && outcomes.length > 0);
    writing = false;
    writeSoon();
    rest();
  }

  /** Failure policy: the work was done, and without its outcome nobody would know, so storing is tried again. */
  async function waitForDatabase(count: number, error: unknown): Promise<void> {
    log.warn({ err: error, outcomes: count }, `${queue.name}: outcomes wait to be written`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }

  function leaveOut(error: unknown): void {
    log.error({ err: error, row: outcomes[0]?.outcome._id }, `${queue.name}: an outcome cannot be stored`);
    settle(outcomes.splice(0, 1));
  }

  return {
    add: (outcome, settled) => {
      outcomes.push({ outcome, settled });
      setImmediate(writeSoon);
    },
    waiting: () => outcomes.length,
  };
}
