/** Repeats transactions that others have overtaken, because they created or changed the same records at the same moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../values/errors.ts';
import { isCollision } from './db.ts';

// How often a transaction is tried, and the pause before the second try. Each further pause is longer.
const TRIES = 4;
const PAUSE_MS = 50;

/**
 * Runs `work` again when its transaction collided with another one, or was UNAVAILABLE because rows were locked for too long; the next try
 * finds what the other transaction has stored. Throws the error of the last try.
 */
export async function repeatOvertaken<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isOvertaken = isCollision(error) || (error instanceof AppError && error.code === 'UNAVAILABLE');
      if (!isOvertaken || attempt === TRIES) throw error;
      await sleep(PAUSE_MS * attempt);
    }
  }
}
