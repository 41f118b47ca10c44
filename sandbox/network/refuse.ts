import { answer, type Answer } from '../exchange.ts';

export const refuse = (status: number, type: string, title: string): Answer =>
  answer({ status, type: `errors/${type}`, title, detail: title }, status);
