/** What a failed call means. */
import { isParleyError } from '../../../sdk/src/errors.ts';

/** Returns the code of an answer that would be the same for a repeat; null for a failure that may pass. */
export function findRefusal(error: unknown): string | null {
  if (!isParleyError(error)) return 'INTERNAL';
  const { status, code } = error;
  return status === null || status === 429 || status >= 500 || code === 'UNREADABLE_ANSWER' ? null : code;
}
