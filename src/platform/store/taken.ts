/** Answers for values that only one record may have, when another record has taken them. */
import { violates } from './db.ts';

/** Handles the error of a write: if the unique constraint of this name has refused the row, `answer` replaces the error. */
export const whenTaken =
  <T>(constraint: string, answer: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    // Failure policy: the constraint decides which record gets the value; any other error is thrown unchanged.
    if (!violates(error, constraint)) throw error;
    return answer();
  };
