/** What an agent is asked, and what it answers. */
import type { AnswerWork, HandoffReason } from '../schemas.ts';
import type { Plan } from '../tools/tool.ts';

/** One side of the conversation said this. */
export interface Line {
  from: 'CONTACT' | 'COMPANY';
  text: string;
}

/** What an agent is to answer. */
export interface Question {
  /** The conversation before the messages that wait for the answer, the oldest line first. */
  before: Line[];
  /** The messages that wait for the answer. */
  asked: string;
  contact: { name: string | null; language: string | null };
}

export interface Answer {
  /** What is to be sent; null when a person has to take over. */
  text: string | null;
  /** Why a person has to take over; null when there is a text. */
  reason: HandoffReason | null;
  work: AnswerWork;
  /** What happens with the answer. */
  plan: Plan;
}

/** A way of answering leaves out how long it took. Its plan is that of the scene. */
export interface FoundAnswer extends Omit<Answer, 'work' | 'plan'> {
  work: Omit<AnswerWork, 'latency_ms'>;
}

export const NO_WORK: FoundAnswer['work'] = {
  actions: [],
  passages: [],
  model: null,
  input_tokens: null,
  output_tokens: null,
};
