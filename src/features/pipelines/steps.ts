/** Functions for conversations that move to another step: they lock the step and make the event of the move. */
import { actorOrigin, type Actor } from '../../platform/values/actor.ts';
import type { ChangeEvent } from '../../platform/store/events.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { StepCause, StepChanged } from './schemas.ts';
import { findStep, lockTargetSteps, type StepOfPipeline } from './step-queries.ts';

/**
 * Finds the step to which a conversation moves, and locks it, so that it cannot be removed until the transaction ends. Returns null when
 * there is no such step.
 */
export async function keepStepFromRemoval(tx: TenantTx, id: string): Promise<StepOfPipeline | null> {
  const [step] = await lockTargetSteps(tx, [id]);
  return step ?? null;
}

/** Reads the current step of a conversation. */
export const readStep = (tx: TenantRead, id: string): Promise<StepOfPipeline | null> => findStep(tx, id);

export function toStepCause(actor: Actor): StepCause {
  const origin = actorOrigin(actor);
  return {
    // A follow-up is a message of an agent, and a step change has no separate origin for follow-ups and for rules. What inboxes send moves nothing.
    origin:
      origin === 'FOLLOWUP' ? 'AGENT' : origin === 'RULE' || origin === 'AWAY' || origin === 'CSAT' ? null : origin,
    campaign: actor.type === 'campaign' ? actor.id : null,
    user: actor.type === 'user' ? actor.id : null,
  };
}

export interface StepMove {
  conversation: { _id: string; contact: string; company: string };
  /** The former step; null when the conversation was in no step. */
  previous: StepOfPipeline | null;
  current: StepOfPipeline;
  cause: StepCause;
}

/** Makes the event CONVERSATION_STEP_CHANGED of a move. */
export function makeStepChangedEvent({ conversation, previous, current, cause }: StepMove): ChangeEvent {
  const { _id, contact, company } = conversation;
  const data: StepChanged = {
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
  };
  return { event: 'CONVERSATION_STEP_CHANGED', about: { _id, company }, data };
}
