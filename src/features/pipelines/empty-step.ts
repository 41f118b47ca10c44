/** Moves the conversations of a removed step to its replacement, a portion at a time. */
import type { Kit } from '../../kit.ts';
import { emit } from '../../platform/store/events.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { deleteEmptiedPipelines, lockPipelines } from './queries.ts';
import type { StepCause } from './schemas.ts';
import { deleteSteps, findUsedSteps, findRemovedStep, moveConversations } from './step-queries.ts';
import { makeStepChangedEvent } from './steps.ts';

// The number of conversations that one transaction moves, which takes some hundred milliseconds with their events.
const PORTION = 500;

/**
 * Moves the next conversations of a removed step and emits an event for each. Deletes the step once no conversation is left in it. The
 * caller has locked the pipelines.
 */
export async function moveFromStep(
  tx: TenantTx,
  id: string,
  cause: StepCause,
): Promise<{ moved: number; done: boolean }> {
  const leaving = await findRemovedStep(tx, id);
  if (!leaving) return { moved: 0, done: true };
  const { step, replacement } = leaving;
  const moved = await moveConversations(tx, leaving, PORTION);
  await emit(
    tx,
    moved.map(({ _id, contact }) =>
      makeStepChangedEvent({
        conversation: { _id, contact, company: tx.companyId },
        previous: step,
        current: replacement,
        cause,
      }),
    ),
  );
  if ((await findUsedSteps(tx, [id])).length > 0) return { moved: moved.length, done: false };
  await deleteSteps(tx, [id]);
  return { moved: moved.length, done: true };
}

/** Moves all conversations that a request, or a worker that died, has left in a removed step. */
export async function emptyStep(kit: Kit, asked: { company: string; step: string; cause: StepCause }): Promise<void> {
  const { company, step, cause } = asked;
  await workInPortions(async () => {
    const { moved, done } = await kit.database.tenantTx(company, async (tx) => {
      await lockPipelines(tx);
      const left = await moveFromStep(tx, step, cause);
      if (left.done) await deleteEmptiedPipelines(tx);
      return left;
    });
    // Other transactions have locked all conversations that are left; the next attempt of the queue can move them.
    if (!done && moved === 0) throw new Error('the conversations that are left in a removed step are all held');
    return !done;
  });
}
