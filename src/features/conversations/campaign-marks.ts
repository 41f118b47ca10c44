/** Names the campaign in conversations that it writes into, and moves them to its step of the pipeline. */
import { emit } from '../../platform/store/events.ts';
import type { Acting, TenantTx } from '../../platform/store/tenant.ts';
import { makeStepChangedEvent, readStep, toStepCause } from '../pipelines/steps.ts';
import { setCampaignMarks } from './mark-queries.ts';

export interface CampaignMark {
  conversation: string;
  enrollment: string;
  /** The step to which the conversation moves, which the transaction has locked; null when it stays where it is. */
  step: NonNullable<Awaited<ReturnType<typeof readStep>>> | null;
}

/** The transaction has locked the conversations. Emits CONVERSATION_STEP_CHANGED for those that really move. */
export async function markOfCampaign(
  tx: TenantTx,
  acting: Acting,
  campaign: string,
  marks: CampaignMark[],
): Promise<void> {
  const before = await setCampaignMarks(tx, campaign, marks);
  const steps = new Map(marks.map(({ conversation, step }) => [conversation, step]));
  const moved = before.filter(({ _id, step }) => (steps.get(_id) ?? null) !== null && steps.get(_id)?._id !== step);
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
