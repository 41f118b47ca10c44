/** What a function is that the model of an agent may call, and what a turn plans to change. */
import type { ChatTool } from '../../../ai/chat.ts';
import { AppError } from '../../../platform/values/errors.ts';
import type { FileType } from '../../../platform/work/media/formats.ts';
import type { Kit } from '../../../kit.ts';
import type { Acting } from '../../../platform/store/tenant.ts';
import type { Conversation } from '../../conversations/schemas.ts';
import type { Value } from '../../custom-fields/schemas.ts';
import type { CoveringPassage } from '../../knowledge/search.ts';
import type { Spender } from '../answers/budget.ts';
import type { WorkNotes } from '../answers/notes.ts';
import type { Agent } from '../schemas.ts';

/** The model has called a function in a way that the platform refuses. The message is for the model. */
export class Refusal extends Error {}

/** Tells the model what is wrong with its arguments; other errors are thrown on. */
export function refuse(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const [fault] = error.errors;
  throw new Refusal(fault ? `${fault.path} ${fault.message}` : error.message);
}

export type FieldValues = Record<string, Value | null>;

/** What happens in the transaction that stores the answer, and not at all when there is none. */
export interface Plan {
  fields: { contact: FieldValues; conversation: FieldValues };
  step: string | null;
  file: PlannedFile | null;
  followUp: PlannedFollowUp | null;
}

export interface PlannedFile {
  attachment: string;
  contentType: FileType;
}

export interface PlannedFollowUp {
  delay_minutes: number;
  content: string;
}

export const makePlan = (): Plan => ({
  fields: { contact: {}, conversation: {} },
  step: null,
  file: null,
  followUp: null,
});

/** What the functions of one turn work on. */
export interface Scene {
  kit: Kit;
  acting: Acting;
  agent: Agent;
  /** Null when the agent is only tried. */
  conversation: Conversation | null;
  plan: Plan;
  /** What the model has read so far. Its answer may have links that stand in it. */
  read: { passages: CoveringPassage[]; texts: string[] };
  notes: WorkNotes;
}

export interface Tool extends ChatTool {
  /** Whether the arguments are right; by default whether they fit the parameters. */
  fits?(given: unknown): boolean;
  /** Returns what the model reads. The arguments fit the parameters. Throws a Refusal. */
  call(given: never): Promise<string>;
}

/** Who uses the tokens of the turn. */
export const findSpender = ({ acting, conversation }: Pick<Scene, 'acting' | 'conversation'>): Spender => ({
  company: acting.companyId,
  conversation: conversation?._id ?? null,
});
