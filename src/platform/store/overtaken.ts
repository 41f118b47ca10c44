/** Repeats transactions that others have overtaken, because they created or changed the same records at the same moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../values/errors.ts';
import { isCollision, isLockTimeout } from './db.ts';

/** What a transaction was prepared from is no longer true, for example because a contact was removed. It has to be prepared again. */
export class ChangedMeanwhile extends AppError {
  /** `what` is a noun with its article, for example `The campaign`. */
  constructor(what: string) {
    super('UNAVAILABLE', `${what} changed meanwhile`, [], { 'retry-after': '1' });
  }
}

// How often a transaction is tried, and the pause before the second try. Each further pause is longer.
const TRIES = 5;
const PAUSE_MS = 50;

export const isChangedMeanwhile = (error: unknown): boolean => error instanceof ChangedMeanwhile;

/** The transaction collided with another one, waited too long for its locks, or was UNAVAILABLE: what it was prepared from had changed. */
const isOvertaken = (error: unknown): boolean =>
  isCollision(error) || isLockTimeout(error) || (error instanceof AppError && error.code === 'UNAVAILABLE');

/**
 * Runs `work` again when `isRepeated` says so of its error; the next try finds what the other transaction has stored. Throws the error of the
 * last try. Pass isChangedMeanwhile where a caller should not wait for locked rows five times.
 */
export async function repeatOvertaken<T>(
  work: () => Promise<T>,
  isRepeated: (error: unknown) => boolean = isOvertaken,
  tries = TRIES,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isRepeated(error) || attempt === tries) throw error;
      await sleep(PAUSE_MS * attempt);
    }
  }
}
