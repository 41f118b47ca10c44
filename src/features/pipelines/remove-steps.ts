/** Taking steps away. The conversations in them are told where to go, or the steps stay. */
import type { Kit } from '../../kit.ts';
import { AppError, unknownReference } from '../../platform/errors.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import { leaveStep } from './empty-step.ts';
import { EmptyStep } from './jobs.ts';
import type { StepCause } from './schemas.ts';
import { deleteSteps, findUsedSteps, holdSteps, replaceStep, seizeSteps } from './step-queries.ts';

// What a request moves itself, in a second or two; a job does the rest.
const AT_ONCE = 2_000;

export interface Removal {
  /** Ids of steps, in their order. */
  removed: string[];
  /** Where the conversations of a removed step go; undefined: nobody said. */
  replacementOf(step: string): { id: string; path: string } | undefined;
  /** Where in the request a replacement would stand. */
  pathOf(step: string): string;
  cause: StepCause;
}

/**
 * Part of the caller's transaction, which has locked the pipelines. Throws STEP_IN_USE where conversations have nowhere to go,
 * UNKNOWN_REFERENCE where the replacement is no step that stays.
 */
export async function removeSteps(kit: Kit, tx: TenantTx, removal: Removal): Promise<void> {
  const { removed, replacementOf, pathOf, cause } = removal;
  if (removed.length === 0) return;
  await seizeSteps(tx, removed);
  await checkReplacements(tx, removal);
  const used = (await findUsedSteps(tx, removed)).map((step) => step._id);
  const stranded = used.filter((step) => !replacementOf(step));
  if (stranded.length > 0) {
    const message = 'has to name a step that its conversations go to';
    throw new AppError(
      'STEP_IN_USE',
      undefined,
      stranded.map((step) => ({ path: pathOf(step), code: 'REQUIRED', message })),
    );
  }
  await deleteSteps(
    tx,
    removed.filter((step) => !used.includes(step)),
  );
  for (const step of used) await replaceStep(tx, step, replacementOf(step)?.id ?? '');
  let room = AT_ONCE;
  for (const step of used) {
    let left = { moved: 0, done: false };
    while (!left.done && room > 0) {
      left = await leaveStep(tx, step, cause);
      room = left.moved > 0 ? room - left.moved : 0;
    }
    if (!left.done) await kit.enqueue(tx, EmptyStep, { company: tx.companyId, step, cause }, { key: step });
  }
}

async function checkReplacements(tx: TenantTx, { removed, replacementOf }: Removal): Promise<void> {
  const given = removed.flatMap((step) => replacementOf(step) ?? []);
  const held = await holdSteps(
    tx,
    given.map(({ id }) => id),
  );
  for (const { id, path } of given) {
    if (removed.includes(id) || !held.some((step) => step._id === id)) throw unknownReference(path);
  }
}
