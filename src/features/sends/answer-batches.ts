/** Stores the network's answers in batches: one transaction stores all answers that arrived during the previous one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../platform/work/telemetry.ts';

export interface AnswerBatches<T> {
  add(answer: T): void;
  /** Resolves when all answers are stored, or could not be: with false when none had to be. */
  drain(): Promise<boolean>;
}

// The pauses between tries to store answers, which no other process knows.
const PAUSES_MS = [0, 250, 1_000, 4_000];
// The largest number of answers that one transaction stores.
const FULL = 100;
// A transaction costs as much as thirty rows, so the next one waits for more answers.
const GATHER_MS = 25;

/** `work` names the work in the log. */
export function createAnswerBatches<T>(
  log: Log,
  work: string,
  store: (answers: T[]) => Promise<void>,
): AnswerBatches<T> {
  const waiting: T[] = [];
  let writing: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < FULL) await sleep(GATHER_MS);
      await storeInTries(waiting.splice(0, FULL));
    }
    writing = null;
  }

  /** Never throws. */
  async function storeInTries(answers: T[]): Promise<void> {
    for (const pauseMs of PAUSES_MS) {
      try {
        await sleep(pauseMs);
        return await store(answers);
      } catch (error) {
        // Failure policy: after the last try the database does not know these answers, so the messages count as sent with an unknown outcome. Later
        // statuses from the network still settle them.
        log.error({ err: error, work, answers: answers.length }, 'answers of the network could not be stored');
      }
    }
  }

  return {
    add: (answer) => {
      waiting.push(answer);
      writing ??= writeAll();
    },
    drain: async () => {
      const isWriting = writing !== null;
      // Answers that are added meanwhile are written by the same run, or by one that begins when it ends.
      for (let current = writing; current !== null; current = writing) await current;
      return isWriting;
    },
  };
}
