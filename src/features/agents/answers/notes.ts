/** The work on an answer, as the log of turns shows it. */
import type { AnswerWork } from '../turns/schemas.ts';

/** What is noted while the answer is looked for, so that it is known also when none is found. */
export type WorkNotes = Pick<AnswerWork, 'actions' | 'files' | 'model' | 'input_tokens' | 'output_tokens'>;

export const startNotes = (): WorkNotes => ({
  actions: [],
  files: [],
  model: null,
  input_tokens: null,
  output_tokens: null,
});
