/** Writes what became of deliveries, in batches: one statement for all that ended while the last one was being written. */
import type { Kit } from '../../kit.ts';
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
    while (outcomes.length > 0) {
      const batch = outcomes.slice();
      try {
        await recordOutcomes(kit.database.system, batch);
        outcomes.splice(0, batch.length);
      } catch (error) {
        // Failure policy: the attempts were made; losing their outcomes would only make them UNKNOWN. Keep trying.
        kit.log.warn({ err: error, outcomes: batch.length }, 'deliveries: outcomes wait to be written');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    writing = false;
    rest();
  }

  return {
    add: (outcome) => {
      outcomes.push(outcome);
      setImmediate(() => void write());
    },
    waiting: () => outcomes.length,
  };
}
