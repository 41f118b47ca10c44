/**
 * Which models write their reasoning without an opening tag. The chat template of their server has written `<think>` already, so a reply that
 * is cut off before `</think>` looks like an answer and is reasoning.
 */

export interface AskedModel {
  baseUrl: string;
  model: string;
  /** A contact may get a model to write anything, so what is learned holds for the company of that contact alone. */
  company: string;
}

/** Models that reason in this way with the templates of their makers. */
const NAMES = /deepseek-r1|\bqwq\b|qwen-?3.*thinking/i;
/** Companies choose the models of their agents, so the list has an end. An installation uses a few. */
const MOST_MODELS = 1_000;

/** Models of which a reply has ended reasoning that it had not begun. Each process learns this from the first whole reply. */
const learned = new Set<string>();

const toKey = ({ company, baseUrl, model }: AskedModel): string => JSON.stringify([company, baseUrl, model]);

export function rememberHeadless(model: AskedModel): void {
  const key = toKey(model);
  // The model that was seen last stands at the end, and the one that was not seen for the longest time is forgotten.
  learned.delete(key);
  learned.add(key);
  const [oldest] = learned;
  if (learned.size > MOST_MODELS && oldest !== undefined) learned.delete(oldest);
}

export const isHeadless = (model: AskedModel): boolean => NAMES.test(model.model) || learned.has(toKey(model));
