/** Stores the outcomes of deliveries in batches: one statement for all that arrived while the previous one ran. */
import type { Kit } from '../../kit.ts';
import { isUnavailable } from '../../platform/db.ts';
import { recordOutcomes, type Outcome } from './delivery-queries.ts';

// The pause between two tries while the database is away.
const RETRY_MS = 500;
// A statement costs as much as thirty rows, so the next one waits for this time, or until this many outcomes are there.
const PAUSE_MS = 5;
const FULL = 64;

export interface Recorder {
  add(outcome: Outcome): void;
  /** The number of outcomes that are not stored yet. */
  waiting(): number;
}

/** `written` is called with the outcomes of each batch that was stored, and `rest` whenever all are stored. */
export function createRecorder(kit: Kit, written: (outcomes: Outcome[]) => void, rest: () => void): Recorder {
  const outcomes: Outcome[] = [];
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
    // refused one is left out: its delivery becomes UNKNOWN.
    let oneByOne = false;
    do {
      const batch = outcomes.slice(0, oneByOne ? 1 : outcomes.length);
      try {
        await recordOutcomes(kit.database.system('deliveries'), batch);
        written(outcomes.splice(0, batch.length));
      } catch (error) {
        if (isUnavailable(error)) await waitFor(kit, batch, error);
        else if (batch.length === 1) logLost(kit, outcomes.shift(), error);
        oneByOne ||= !isUnavailable(error);
      }
    } while (oneByOne && outcomes.length > 0);
    writing = false;
    writeSoon();
    rest();
  }

  return {
    add: (outcome) => {
      outcomes.push(outcome);
      setImmediate(writeSoon);
    },
    waiting: () => outcomes.length,
  };
}

/** Failure policy: the attempts were made, and without their outcomes they would become UNKNOWN, so storing is retried. */
async function waitFor({ log }: Kit, batch: Outcome[], error: unknown): Promise<void> {
  log.warn({ err: error, outcomes: batch.length }, 'deliveries: outcomes wait to be written');
  await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
}

function logLost({ log }: Kit, outcome: Outcome | undefined, error: unknown): void {
  log.error({ err: error, delivery: outcome?._id }, 'deliveries: an outcome can not be written');
}
