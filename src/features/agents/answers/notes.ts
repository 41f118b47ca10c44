/** The work on an answer, as the log of turns shows it. */
import type { Prices } from '../schemas.ts';
import type { AnswerWork, TurnCost } from '../turns/schemas.ts';

/** What is noted while the answer is looked for, so that it is known also when none is found. */
export type WorkNotes = Pick<AnswerWork, 'actions' | 'files' | 'model' | 'input_tokens' | 'output_tokens'>;

export const startNotes = (): WorkNotes => ({
  actions: [],
  files: [],
  model: null,
  input_tokens: null,
  output_tokens: null,
});

// Prices are for so many tokens, and an answer may cost a small part of a cent.
const PER_PRICE = 1_000_000;
const DECIMALS = 8;

/** Returns what the tokens cost; null without prices, or when the model did not say what it has used. */
export function findCost(
  { input_tokens, output_tokens }: Pick<WorkNotes, 'input_tokens' | 'output_tokens'>,
  prices: Prices | null,
): TurnCost | null {
  if (prices === null || input_tokens === null || output_tokens === null) return null;
  const amount = (input_tokens * prices.input + output_tokens * prices.output) / PER_PRICE;
  return { amount: Number(amount.toFixed(DECIMALS)), currency: prices.currency };
}
