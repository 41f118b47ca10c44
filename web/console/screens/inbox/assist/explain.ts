/** Why the model has written nothing that can be used. */
import { isParleyError } from '@parley/sdk';
import { getTexts } from '../../../texts/texts.ts';
import { showError } from '../../../ui/toast.tsx';
import { ASSIST } from './texts.ts';

const REASONS = new Map<string, 'spent' | 'failed' | 'cut'>([
  ['BUDGET_SPENT', 'spent'],
  ['ANSWER_FAILED', 'failed'],
  ['ANSWER_CUT', 'cut'],
]);

/** Shows the error, unless the user has stopped the request. */
export function showFault(error: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  if (!isParleyError(error) || error.code !== 'AI_FAILED') return showError(error);
  showError(getTexts(ASSIST)[REASONS.get(error.problem?.errors[0]?.code ?? '') ?? 'nothing']);
}
