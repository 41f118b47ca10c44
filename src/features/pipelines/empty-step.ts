/** A step that was removed while conversations were in it: they go on to its replacement, a portion at a time. */
import type { Kit } from '../../kit.ts';
import { emit } from '../../platform/events.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import { deleteLeftPipelines, lockPipelines } from './queries.ts';
import type { StepCause } from './schemas.ts';
import { deleteSteps, findUsedSteps, findLeaving, moveConversations } from './step-queries.ts';
import { stepChanged } from './steps.ts';

// Some hundred milliseconds a transaction, events included.
const PORTION = 500;

/** Moves the next conversations and tells of each. Once none is left the step is deleted. The caller has locked the pipelines. */
export async function leaveStep(tx: TenantTx, id: string, cause: StepCause): Promise<{ moved: number; done: boolean }> {
  const leaving = await findLeaving(tx, id);
  if (!leaving) return { moved: 0, done: true };
  const { step, replacement } = leaving;
  const moved = await moveConversations(tx, leaving, PORTION);
  await emit(
    tx,
    moved.map(({ _id, contact }) =>
      stepChanged({
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

/** Goes on where the request, or a worker that died, left off. */
export async function emptyStep(kit: Kit, asked: { company: string; step: string; cause: StepCause }): Promise<void> {
  const { company, step, cause } = asked;
  for (;;) {
    const { moved, done } = await kit.database.tenantTx(company, async (tx) => {
      await lockPipelines(tx);
      const left = await leaveStep(tx, step, cause);
      if (left.done) await deleteLeftPipelines(tx);
      return left;
    });
    if (done) return;
    // What is left is being written into at this moment: the queue's next try finds it free.
    if (moved === 0) throw new Error('the conversations that are left in a removed step are all held');
  }
}
