/** What an agent is asked, and what it answers. */
import type { AnswerWork, HandoffReason } from '../turns/schemas.ts';
import type { Plan } from '../tools/tool.ts';

/** One side of the conversation said this. */
export interface Line {
  from: 'CONTACT' | 'COMPANY';
  text: string;
  /** The file that the contact sent with it; null without one. */
  file: SentFile | null;
}

/** A file that the contact has sent. */
export interface SentFile {
  /** The message that brought it; null when the agent is only tried. */
  message: string | null;
  attachment: string;
}

/** What an agent is to answer. */
export interface Question {
  /** The conversation before the messages that wait for the answer, the oldest line first. */
  before: Line[];
  /** The messages that wait for the answer. */
  asked: string;
  /** The text of each of them. */
  texts: string[];
  /** The files that came with them, the oldest first. */
  files: SentFile[];
  /** Whether the text of a PDF is read also where the model could see its pages. */
  prefersPdfText: boolean;
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

/** A way of answering notes its work and its plan in the scene. */
export type FoundAnswer = Pick<Answer, 'text' | 'reason'>;
