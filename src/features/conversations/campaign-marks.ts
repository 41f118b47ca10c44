/** Names a campaign in conversations that it writes into, and moves them to its step of the pipeline once it has written. */
import { emit } from '../../platform/store/events.ts';
import type { Acting, TenantTx } from '../../platform/store/tenant.ts';
import { makeStepChangedEvent, readStep, toStepCause } from '../pipelines/steps.ts';
import { setSteps } from './mark-queries.ts';

export { setCampaignMarks } from './mark-queries.ts';

export interface CampaignMove {
  conversation: string;
  /** The step to which the conversation moves, which the transaction has locked. */
  step: NonNullable<Awaited<ReturnType<typeof readStep>>>;
}

/** Locks the conversations, and emits CONVERSATION_STEP_CHANGED for those that really move. */
export async function moveByCampaign(tx: TenantTx, acting: Acting, moves: CampaignMove[]): Promise<void> {
  if (moves.length === 0) return;
  const before = await setSteps(tx, moves);
  const steps = new Map(moves.map(({ conversation, step }) => [conversation, step]));
  const moved = before.filter(({ _id, step }) => steps.get(_id)?._id !== step);
  const previous = new Map<string, Awaited<ReturnType<typeof readStep>>>();
  for (const { step } of moved) if (step !== null && !previous.has(step)) previous.set(step, await readStep(tx, step));
  const cause = toStepCause(acting.actor);
  await emit(
    tx,
    moved.flatMap(({ _id, contact, step }) => {
      const current = steps.get(_id);
      const conversation = { _id, contact, company: tx.companyId };
      return current
        ? [makeStepChangedEvent({ conversation, previous: previous.get(step ?? '') ?? null, current, cause })]
        : [];
    }),
  );
}
