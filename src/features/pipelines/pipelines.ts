/** The pipelines of a company and their steps, through which its conversations go. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { AppError, expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import {
  clearDefault,
  countPipelines,
  deleteEmptiedPipelines,
  findDefaultPipeline,
  findPipeline,
  insertPipeline,
  listPipelines,
  lockPipelines,
  retirePipeline,
  updatePipeline,
} from './queries.ts';
import { removeSteps } from './remove-steps.ts';
import {
  MAX_PIPELINES,
  type GivenStep,
  type Pipeline,
  type PipelineCreate,
  type PipelineQuery,
  type PipelineStep,
  type PipelineUpdate,
} from './schemas.ts';
import { insertSteps, updateSteps } from './step-queries.ts';
import { toStepCause } from './steps.ts';

export async function createPipeline(tenant: Tenant, input: PipelineCreate): Promise<Pipeline> {
  const { name, is_default = false } = input;
  const { added } = planSteps([], input.steps);
  return tenant.tx(async (tx) => {
    await lockPipelines(tx);
    if ((await countPipelines(tx, { since: null })) >= MAX_PIPELINES) {
      throw invalid('name', `is one too many: a company has at most ${MAX_PIPELINES} pipelines`, 'LIMIT_REACHED');
    }
    if (is_default) await clearDefault(tx);
    const _id = newId();
    await insertPipeline(tx, { _id, name, is_default });
    await insertSteps(tx, _id, added);
    tx.created(_id);
    return expectPipeline(tx, _id);
  });
}

const expectPipeline = async (tx: TenantRead, id: string): Promise<Pipeline> => expectFound(await findPipeline(tx, id));

export const readPipeline = (tenant: Tenant, id: string): Promise<Pipeline> => expectPipeline(tenant.read, id);

/** Returns the pipeline, or without an id the default one of the company. */
export const findPipelineOrDefault = (read: TenantRead, id: string | null): Promise<Pipeline | null> =>
  id === null ? findDefaultPipeline(read) : findPipeline(read, id);

export async function pagePipelines(tenant: Tenant, query: PipelineQuery): Promise<Page<Pipeline>> {
  return listPipelines(tenant.read, pageWindow('pipelines', query));
}

export async function updatePipelineById(
  kit: Kit,
  tenant: Tenant,
  id: string,
  input: PipelineUpdate,
): Promise<Pipeline> {
  return tenant.tx(async (tx) => {
    await lockPipelines(tx);
    const before = await expectPipeline(tx, id);
    if (before.is_default && input.is_default === false) {
      throw invalid('is_default', 'cannot be unset: make another pipeline the default');
    }
    const { kept, added, removed } = planSteps(before.steps, input.steps ?? before.steps);
    const replacements = input.replacements ?? {};
    checkReplacementKeys(replacements, before.steps, removed);
    const replacementPath = (step: string): string => `replacements.${step}`;
    await removeSteps(kit, tx, {
      removed,
      findReplacement: (step) => {
        const replacement = getOwnProperty(replacements, step);
        return replacement === undefined ? undefined : { id: replacement, path: replacementPath(step) };
      },
      replacementPath,
      cause: toStepCause(tenant.actor),
    });
    const next = { _id: id, name: input.name ?? before.name, is_default: input.is_default ?? before.is_default };
    const { name, is_default, steps } = before;
    if (isDeepStrictEqual([next, kept, added], [{ _id: id, name, is_default }, steps, []])) return before;
    await updateSteps(tx, kept);
    await insertSteps(tx, id, added);
    if (next.is_default && !is_default) await clearDefault(tx);
    await updatePipeline(tx, next);
    return expectPipeline(tx, id);
  });
}

/**
 * Removes a pipeline. Throws PIPELINE_IS_DEFAULT for the default pipeline, and STEP_IN_USE when conversations are in its steps and the
 * request names no replacement.
 */
export async function removePipeline(
  kit: Kit,
  tenant: Tenant,
  id: string,
  replacement: string | undefined,
): Promise<Pipeline> {
  return tenant.tx(async (tx) => {
    await lockPipelines(tx);
    const pipeline = await expectPipeline(tx, id);
    if (pipeline.is_default) throw new AppError('PIPELINE_IS_DEFAULT', 'Make another pipeline the default first');
    const path = 'replacement';
    await removeSteps(kit, tx, {
      removed: pipeline.steps.map((step) => step._id),
      findReplacement: () => (replacement === undefined ? undefined : { id: replacement, path }),
      replacementPath: () => path,
      cause: toStepCause(tenant.actor),
    });
    await retirePipeline(tx, id);
    await deleteEmptiedPipelines(tx);
    return pipeline;
  });
}

interface StepPlan {
  /** The steps that stay, in their new order and with their new fields. */
  kept: PipelineStep[];
  added: PipelineStep[];
  /** The ids of steps to remove. */
  removed: string[];
}

function planSteps(before: PipelineStep[], given: GivenStep[]): StepPlan {
  const held = new Map(before.map((step) => [step._id, step]));
  const orders = new Set<number>();
  const [kept, added]: [PipelineStep[], PipelineStep[]] = [[], []];
  for (const [index, { _id, name, order = index, kind }] of given.entries()) {
    const old = _id === undefined ? undefined : held.get(_id);
    if (_id !== undefined && !old) throw unknownReference(`steps[${index}]._id`);
    if (old && kept.some((step) => step._id === old._id)) throw invalid(`steps[${index}]._id`, 'is listed twice');
    if (orders.has(order)) throw invalid(`steps[${index}].order`, 'is already used by another step');
    orders.add(order);
    if (old) kept.push({ _id: old._id, name, order, kind: kind ?? old.kind });
    else added.push({ _id: newId(), name, order, kind: kind ?? 'OPEN' });
  }
  const removed = before.filter((step) => !kept.some(({ _id }) => _id === step._id)).map((step) => step._id);
  return { kept: kept.toSorted((a, b) => a.order - b.order), added, removed };
}

function checkReplacementKeys(replacements: Record<string, string>, steps: PipelineStep[], removed: string[]): void {
  for (const step of Object.keys(replacements)) {
    const path = `replacements.${step}`;
    if (!steps.some(({ _id }) => _id === step)) throw unknownReference(path);
    if (!removed.includes(step)) throw invalid(path, 'is a step that is not removed');
  }
}
