/** Removes steps of pipelines. Conversations in a removed step need a replacement step; otherwise the removal is refused. */
import type { Kit } from '../../kit.ts';
import { AppError, unknownReference } from '../../platform/values/errors.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { moveFromStep } from './empty-step.ts';
import { EmptyStep } from './jobs.ts';
import type { StepCause } from './schemas.ts';
import { deleteSteps, findUsedSteps, lockTargetSteps, replaceStep, lockStepsForRemoval } from './step-queries.ts';

// The number of conversations that a request itself moves, which takes a second or two; a job moves the rest.
const MAX_MOVED_BY_REQUEST = 2_000;

export interface StepRemoval {
  /** The ids of the steps to remove, in the order of the steps. */
  removed: string[];
  /** Finds the step to which the conversations of a removed step move; undefined when the request names none. */
  findReplacement(step: string): { id: string; path: string } | undefined;
  /** Returns the path of the request field that names, or would name, the replacement of a step, for error messages. */
  replacementPath(step: string): string;
  cause: StepCause;
}

/**
 * Removes steps in the transaction of the caller, who has locked the pipelines. Throws STEP_IN_USE when conversations
 * have no replacement step, and UNKNOWN_REFERENCE when the replacement does not exist or is removed as well.
 */
export async function removeSteps(kit: Kit, tx: TenantTx, removal: StepRemoval): Promise<void> {
  const { removed, findReplacement, replacementPath, cause } = removal;
  if (removed.length === 0) return;
  await lockStepsForRemoval(tx, removed);
  await checkReplacements(tx, removal);
  const used = (await findUsedSteps(tx, removed)).map((step) => step._id);
  const stranded = used.filter((step) => !findReplacement(step));
  if (stranded.length > 0) {
    const message = 'must name a step for its conversations';
    throw new AppError(
      'STEP_IN_USE',
      undefined,
      stranded.map((step) => ({ path: replacementPath(step), code: 'REQUIRED', message })),
    );
  }
  await deleteSteps(
    tx,
    removed.filter((step) => !used.includes(step)),
  );
  for (const step of used) await replaceStep(tx, step, findReplacement(step)?.id ?? '');
  let room = MAX_MOVED_BY_REQUEST;
  for (const step of used) {
    let left = { moved: 0, done: false };
    while (!left.done && room > 0) {
      left = await moveFromStep(tx, step, cause);
      room = left.moved > 0 ? room - left.moved : 0;
    }
    if (!left.done) await kit.enqueue(tx, EmptyStep, { company: tx.companyId, step, cause }, { key: step });
  }
}

async function checkReplacements(tx: TenantTx, { removed, findReplacement }: StepRemoval): Promise<void> {
  const given = removed.flatMap((step) => findReplacement(step) ?? []);
  const held = await lockTargetSteps(
    tx,
    given.map(({ id }) => id),
  );
  for (const { id, path } of given) {
    if (removed.includes(id) || !held.some((step) => step._id === id)) throw unknownReference(path);
  }
}
