/** What went wrong, for the person in front of the page. */
import { isParleyError } from '@parley/sdk';
import { getTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';

/** Returns one sentence about an error; a text is a sentence already. */
export function explainError(error: unknown): string {
  if (typeof error === 'string') return error;
  if (!isParleyError(error)) return getTexts(COMMON).failed(String(error));
  if (error.code === 'NO_ANSWER') return getTexts(COMMON).notReachable;
  if (error.code === 'CONVERSATION_OPEN') return getTexts(COMMON).CONVERSATION_OPEN;
  const { detail, errors = [] } = error.problem ?? {};
  // The detail of a refused body begins with the path of its field, which means nothing to people.
  const [fault] = errors;
  if (fault && detail?.startsWith(`${fault.path} `)) return getTexts(COMMON).refusedValue(fault.message);
  return detail ?? getTexts(COMMON).failed(error.code);
}

/** Returns the open conversation that keeps the one of a request closed; null for any other error. */
export const findOpenConversation = (error: unknown): string | null =>
  isParleyError(error) && error.code === 'CONVERSATION_OPEN' ? (error.problem.existing_id ?? null) : null;

/** Returns what the platform says about one field of a form, or about a part of it; null when it says nothing about it. */
export function explainField(error: unknown, path: string): string | null {
  if (!isParleyError(error)) return null;
  const isPart = (named: string): boolean => named.startsWith(path) && /^([.[]|$)/.test(named.slice(path.length));
  const found = error.problem?.errors.find((each) => isPart(each.path));
  return found?.message ?? null;
}
