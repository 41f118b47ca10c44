/** Writes what became of deliveries, in batches: one statement for all that ended while the last one was being written. */
import type { Kit } from '../../kit.ts';
import { isUnavailable } from '../../platform/db.ts';
import { recordOutcomes, type Outcome } from './delivery-queries.ts';

// The database is away: it is asked again at this pace.
const RETRY_MS = 500;

export interface Recorder {
  add(outcome: Outcome): void;
  /** Outcomes that are not written yet. */
  waiting(): number;
}

/** `rest` is called whenever everything is written. */
export function createRecorder(kit: Kit, rest: () => void): Recorder {
  const outcomes: Outcome[] = [];
  let writing = false;

  async function write(): Promise<void> {
    if (writing) return;
    writing = true;
    let size = Number.POSITIVE_INFINITY;
    while (outcomes.length > 0) {
      const batch = outcomes.slice(0, size);
      try {
        await recordOutcomes(kit.database.system('deliveries'), batch);
        outcomes.splice(0, batch.length);
      } catch (error) {
        if (!isUnavailable(error)) size = giveUpOn(batch, error);
        else await waitFor(batch, error);
      }
    }
    writing = false;
    rest();
  }

  /** Failure policy: the attempts were made; losing their outcomes would only make them UNKNOWN. Keep trying. */
  async function waitFor(batch: Outcome[], error: unknown): Promise<void> {
    kit.log.warn({ err: error, outcomes: batch.length }, 'deliveries: outcomes wait to be written');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }

  /**
   * Failure policy: what the database will never take must not hold up the others. They are written one by one, and the
   * one to blame is left out: its delivery becomes UNKNOWN. Answers the size of the batches to come.
   */
  function giveUpOn(batch: Outcome[], error: unknown): number {
    if (batch.length === 1) {
      outcomes.shift();
      kit.log.error({ err: error, delivery: batch[0]?._id }, 'deliveries: an outcome can not be written');
    }
    return 1;
  }

  return {
    add: (outcome) => {
      outcomes.push(outcome);
      setImmediate(() => void write());
    },
    waiting: () => outcomes.length,
  };
}
