/** Writes what became of deliveries, in batches: one statement for all that ended while the last one was being written. */
import type { Kit } from '../../kit.ts';
import { isUnavailable } from '../../platform/db.ts';
import { recordOutcomes, type Outcome } from './delivery-queries.ts';

// The database is away: it is asked again at this pace.
const RETRY_MS = 500;
// A statement costs as much as thirty rows: one that follows another waits for so long, or for so many.
const PAUSE_MS = 5;
const FULL = 64;

export interface Recorder {
  add(outcome: Outcome): void;
  /** Outcomes that are not written yet. */
  waiting(): number;
}

/** `written` is told what was written, and `rest` is called whenever everything is. */
export function createRecorder(kit: Kit, written: (outcomes: Outcome[]) => void, rest: () => void): Recorder {
  const outcomes: Outcome[] = [];
  let writing = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  let pause: NodeJS.Timeout | null = null;

  function hurry(): void {
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
    // Failure policy: what the database will never take must not hold up the others. They are written one by one, and the
    // one to blame is left out: its delivery becomes UNKNOWN.
    let oneByOne = false;
    do {
      const batch = outcomes.slice(0, oneByOne ? 1 : outcomes.length);
      try {
        await recordOutcomes(kit.database.system('deliveries'), batch);
        written(outcomes.splice(0, batch.length));
      } catch (error) {
        if (isUnavailable(error)) await waitFor(kit, batch, error);
        else if (batch.length === 1) tellLost(kit, outcomes.shift(), error);
        oneByOne ||= !isUnavailable(error);
      }
    } while (oneByOne && outcomes.length > 0);
    writing = false;
    hurry();
    rest();
  }

  return {
    add: (outcome) => {
      outcomes.push(outcome);
      setImmediate(hurry);
    },
    waiting: () => outcomes.length,
  };
}

/** Failure policy: the attempts were made; losing their outcomes would only make them UNKNOWN. Keep trying. */
async function waitFor({ log }: Kit, batch: Outcome[], error: unknown): Promise<void> {
  log.warn({ err: error, outcomes: batch.length }, 'deliveries: outcomes wait to be written');
  await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
}

function tellLost({ log }: Kit, outcome: Outcome | undefined, error: unknown): void {
  log.error({ err: error, delivery: outcome?._id }, 'deliveries: an outcome can not be written');
}
