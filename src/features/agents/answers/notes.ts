/** The work on an answer, as the log of turns shows it. */
import type { Prices } from '../schemas.ts';
import type { AnswerWork, TurnCost } from '../turns/schemas.ts';

/** What is noted while the answer is looked for, so that it is known also when none is found. */
export interface WorkNotes extends Pick<AnswerWork, 'actions' | 'files' | 'model' | 'input_tokens' | 'output_tokens'> {
  /** How many seconds of voice notes were written down for it. */
  heardSeconds: number;
}

export const startNotes = (): WorkNotes => ({
  actions: [],
  files: [],
  model: null,
  input_tokens: null,
  output_tokens: null,
  heardSeconds: 0,
});

// Prices are for so many tokens or seconds of sound, and an answer may cost a small part of a cent.
const PER_PRICE = 1_000_000;
const SECONDS_PER_PRICE = 60;
const DECIMALS = 8;

/** Returns what the tokens and the voice notes cost; null without prices, or when the model did not say what it has used. */
export function findCost(
  { model, input_tokens, output_tokens, heardSeconds }: Omit<WorkNotes, 'actions' | 'files'>,
  prices: Prices | null,
): TurnCost | null {
  if (prices === null) return null;
  const heard = prices.transcription === null ? null : (heardSeconds / SECONDS_PER_PRICE) * prices.transcription;
  const toCost = (amount: number): TurnCost => ({
    amount: Number(amount.toFixed(DECIMALS)),
    currency: prices.currency,
  });
  if (input_tokens !== null && output_tokens !== null)
    return toCost((input_tokens * prices.input + output_tokens * prices.output) / PER_PRICE + (heard ?? 0));
  // A contact who asks for a person in a voice note gets one before a model is called.
  return model === null && heardSeconds > 0 && heard !== null ? toCost(heard) : null;
}
