/** Functions for conversations: find the step that one moves to, and make the event of the move. */
import { readOrigin, type Actor } from '../../platform/actor.ts';
import type { ChangeEvent } from '../../platform/events.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';
import type { StepCause } from './schemas.ts';
import { findStep, holdSteps, type StepOfPipeline } from './step-queries.ts';

/** Finds the step that a conversation moves to, and keeps it from being removed until the transaction ends. Null when there is none. */
export async function holdStep(tx: TenantTx, id: string): Promise<StepOfPipeline | null> {
  const [step] = await holdSteps(tx, [id]);
  return step ?? null;
}

/** Reads the step that a conversation is in. */
export const readStep = (tx: TenantRead, id: string): Promise<StepOfPipeline | null> => findStep(tx, id);

export function toStepCause(actor: Actor): StepCause {
  const origin = readOrigin(actor);
  return {
    // A follow-up is a message of an agent, and a step change knows no word of its own for it.
    origin: origin === 'FOLLOWUP' ? 'AGENT' : origin,
    campaign: actor.type === 'campaign' ? actor.id : null,
    user: actor.type === 'user' ? actor.id : null,
  };
}

export interface StepMove {
  conversation: { _id: string; contact: string; company: string };
  /** Null when the conversation was in no step. */
  previous: StepOfPipeline | null;
  current: StepOfPipeline;
  cause: StepCause;
}

/** Makes the event CONVERSATION_STEP_CHANGED of a move. */
export function stepChanged({ conversation, previous, current, cause }: StepMove): ChangeEvent {
  const { _id, contact, company } = conversation;
  return {
    event: 'CONVERSATION_STEP_CHANGED',
    about: { _id, company },
    data: {
      conversationId: _id,
      contactId: contact,
      companyId: company,
      pipeline: current.pipeline,
      previousStep: previous && { _id: previous._id, name: previous.name },
      currentStep: { _id: current._id, name: current.name },
      ...(cause.origin === null ? {} : { origin: cause.origin }),
      campaignId: cause.campaign,
      userId: cause.user,
      changedAt: new Date().toISOString(),
    },
  };
}
