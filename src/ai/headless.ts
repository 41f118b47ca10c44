/**
 * Which models write their reasoning without an opening tag. The chat template of their server has written `<think>` already, so a reply that
 * is cut off before `</think>` looks like an answer and is reasoning.
 */

interface Model {
  baseUrl: string;
  model: string;
}

/** Models that reason in this way with the templates of their makers. */
const NAMES = /deepseek-r1|\bqwq\b|qwen-?3.*thinking/i;
/** Companies choose the models of their agents, so the list has an end. An installation uses a few. */
const MOST_MODELS = 200;

/** Models of which a reply has ended reasoning that it had not begun. Each process learns this from the first whole reply. */
const learned = new Set<string>();

const toKey = ({ baseUrl, model }: Model): string => JSON.stringify([baseUrl, model]);

export function rememberHeadless(endpoint: Model): void {
  const key = toKey(endpoint);
  // The model that was seen last stands at the end, and the one that was not seen for the longest time is forgotten.
  learned.delete(key);
  learned.add(key);
  const [oldest] = learned;
  if (learned.size > MOST_MODELS && oldest !== undefined) learned.delete(oldest);
}

export const isHeadless = (endpoint: Model): boolean => NAMES.test(endpoint.model) || learned.has(toKey(endpoint));
