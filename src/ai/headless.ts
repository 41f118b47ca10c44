/**
 * Which models write their reasoning without an opening tag. The chat template of their server has written `<think>` already, so a reply that
 * is cut off before `</think>` looks like an answer and is reasoning.
 */
import { createModelMemory } from './model-memory.ts';

export interface AskedModel {
  baseUrl: string;
  model: string;
  /** A contact may get a model to write anything, so what is learned holds for the company of that contact alone. */
  company: string;
}

/** Models that reason in this way with the templates of their makers. */
const NAMES = /deepseek-r1|\bqwq\b|qwen-?3.*thinking/i;
/** Models of which a reply has ended reasoning that it had not begun. Each process learns this from the first whole reply. */
const learned = createModelMemory();

const toKey = ({ company, baseUrl, model }: AskedModel): string => JSON.stringify([company, baseUrl, model]);

export const rememberHeadless = (model: AskedModel): void => learned.remember(toKey(model));

export const isHeadless = (model: AskedModel): boolean => NAMES.test(model.model) || learned.knows(toKey(model));
