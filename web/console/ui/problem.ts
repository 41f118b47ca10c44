/** What went wrong, for the person in front of the page. */
import { isParleyError, type Problem } from '@parley/sdk';
import { LeftOut } from '../records/in-order.ts';
import { explainFault } from '../texts/faults.ts';
import { getLanguage } from '../texts/language.ts';
import { explainCode, explainRefusal } from '../texts/problems.ts';
import { getTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';

/** Returns one sentence about an error; a text is a sentence already. */
export function explainError(error: unknown): string {
  if (typeof error === 'string') return error;
  if (error instanceof LeftOut) return getTexts(COMMON).leftOut;
  if (!isParleyError(error)) return getTexts(COMMON).failed(String(error));
  if (error.code === 'NO_ANSWER') return getTexts(COMMON).notReachable;
  const { code, detail, errors = [] } = error.problem ?? { code: error.code };
  const [fault] = errors;
  // The detail of a refused body begins with the path of its field, which means nothing to people.
  if (fault && code === 'VALIDATION_FAILED') return getTexts(COMMON).refusedValue(describeFault(fault));
  const refusal = fault && code === 'FORBIDDEN' ? explainRefusal(fault.code) : null;
  return refusal ?? explainCode(code, fault?.message ?? detail ?? '') ?? detail ?? getTexts(COMMON).failed(code);
}

/** Returns the open conversation that keeps the one of a request closed; null for any other error. */
export const findOpenConversation = (error: unknown): string | null =>
  isParleyError(error) && error.code === 'CONVERSATION_OPEN' ? (error.problem.existing_id ?? null) : null;

/** Returns what the platform says about one field of a form, or about a part of it; null when it says nothing about it. */
export function explainField(error: unknown, path: string): string | null {
  if (!isParleyError(error)) return null;
  const isPart = (named: string): boolean => named.startsWith(path) && /^([.[]|$)/.test(named.slice(path.length));
  const found = error.problem?.errors.find((each) => isPart(each.path));
  return found ? describeFault(found) : null;
}

const describeFault = (fault: Problem['errors'][number]): string =>
  explainCode(fault.code, fault.message) ?? explainFault(fault, getLanguage());
