import { exec, many, maybeOne } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { PipelineStep } from './schemas.ts';

const toColumns = (steps: PipelineStep[]): unknown[][] => [
  steps.map((step) => step._id),
  steps.map((step) => step.name),
  steps.map((step) => step.order),
  steps.map((step) => step.kind),
];

export function insertSteps(tx: TenantTx, pipeline: string, steps: PipelineStep[]): Promise<number> {
  return exec(tx, {
    name: 'pipelines.insertSteps',
    text: `insert into pipeline_steps (company_id, pipeline_id, _id, name, position, kind)
      select $1, $2, * from unnest($3::text[], $4::text[], $5::int[], $6::text[])`,
    values: [tx.companyId, pipeline, ...toColumns(steps)],
  });
}

export function updateSteps(tx: TenantTx, steps: PipelineStep[]): Promise<number> {
  return exec(tx, {
    name: 'pipelines.updateSteps',
    text: `update pipeline_steps s set name = n.name, position = n.position, kind = n.kind, updated_at = now()
      from unnest($2::text[], $3::text[], $4::int[], $5::text[]) as n (_id, name, position, kind)
      where s.company_id = $1 and s._id = n._id`,
    values: [tx.companyId, ...toColumns(steps)],
  });
}

/** A step and the id of its pipeline. */
export interface StepOfPipeline {
  _id: string;
  name: string;
  pipeline: string;
}

const STEP = '_id, name, pipeline_id as pipeline';

/** Finds a step, even a removed one that may still have conversations. */
export function findStep(tx: TenantRead, id: string): Promise<StepOfPipeline | null> {
  return maybeOne(tx, {
    name: 'pipelines.findStep',
    text: `select ${STEP} from pipeline_steps where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/**
 * Locks and returns those of the given steps to which conversations can move, so that the steps cannot be removed until the transaction
 * ends.
 */
export function lockTargetSteps(tx: TenantTx, ids: string[]): Promise<StepOfPipeline[]> {
  return many(tx, {
    name: 'pipelines.holdSteps',
    text: `select ${STEP} from pipeline_steps where company_id = $1 and _id = any($2) and replaced_by is null
      order by _id for share`,
    values: [tx.companyId, ids],
  });
}

/** Locks steps that are about to be removed, so that no conversation is moved into them. */
export function lockStepsForRemoval(tx: TenantTx, ids: string[]): Promise<number> {
  return exec(tx, {
    name: 'pipelines.seizeSteps',
    text: 'select 1 from pipeline_steps where company_id = $1 and _id = any($2) order by _id for update',
    values: [tx.companyId, ids],
  });
}

/** Returns those of the given steps that have conversations, or that replace a removed step which still has conversations. */
export function findUsedSteps(tx: TenantRead, ids: string[]): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'pipelines.findUsedSteps',
    text: `select s._id from pipeline_steps s where s.company_id = $1 and s._id = any($2) and (
        exists (select 1 from conversations v where v.company_id = $1 and v.step_id = s._id)
        or exists (select 1 from pipeline_steps r where r.company_id = $1 and r.replaced_by = s._id))
      order by s.position, s._id`,
    values: [tx.companyId, ids],
  });
}

/** Hides the step. Its conversations, and those of steps that it replaces, will move to its replacement. */
export function replaceStep(tx: TenantTx, id: string, replacement: string): Promise<number> {
  return exec(tx, {
    name: 'pipelines.replaceStep',
    text: `update pipeline_steps set replaced_by = $3, updated_at = now()
      where company_id = $1 and (_id = $2 or replaced_by = $2)`,
    values: [tx.companyId, id, replacement],
  });
}

export interface RemovedStep {
  step: StepOfPipeline;
  replacement: StepOfPipeline;
}

/** Finds a removed step that still has conversations, with its replacement; null when the step is deleted. */
export async function findRemovedStep(tx: TenantTx, id: string): Promise<RemovedStep | null> {
  const row = await maybeOne<Record<'_id' | 'name' | 'pipeline' | 'r_id' | 'r_name' | 'r_pipeline', string>>(tx, {
    name: 'pipelines.findLeaving',
    text: `select s._id, s.name, s.pipeline_id as pipeline, r._id as r_id, r.name as r_name, r.pipeline_id as r_pipeline
      from pipeline_steps s join pipeline_steps r on r.company_id = s.company_id and r._id = s.replaced_by
      where s.company_id = $1 and s._id = $2`,
    values: [tx.companyId, id],
  });
  if (!row) return null;
  return {
    step: { _id: row._id, name: row.name, pipeline: row.pipeline },
    replacement: { _id: row.r_id, name: row.r_name, pipeline: row.r_pipeline },
  };
}

/** Moves the next conversations to the replacement step; conversations that another transaction is changing are left for later. */
export function moveConversations(
  tx: TenantTx,
  { step, replacement }: RemovedStep,
  limit: number,
): Promise<{ _id: string; contact: string }[]> {
  return many(tx, {
    name: 'pipelines.moveConversations',
    text: `update conversations set step_id = $3, pipeline_id = $4, updated_at = now()
      where company_id = $1 and _id = any(array(
        select _id from conversations where company_id = $1 and step_id = $2
        order by created_at desc, _id desc limit $5 for no key update skip locked))
      returning _id, contact_id as contact`,
    values: [tx.companyId, step._id, replacement._id, replacement.pipeline, limit],
  });
}

export function deleteSteps(tx: TenantTx, ids: string[]): Promise<number> {
  return exec(tx, {
    name: 'pipelines.deleteSteps',
    text: 'delete from pipeline_steps where company_id = $1 and _id = any($2)',
    values: [tx.companyId, ids],
  });
}
