/** A pipeline as its form has it. */
import { isParleyError, type Pipeline, type PipelineStep } from '@parley/sdk';
import { parley } from '../../client.ts';

export interface StepForm extends Pick<PipelineStep, 'name' | 'kind'> {
  /** Tells the steps of the form apart, also those that are not stored yet. */
  key: string;
  /** Undefined for a new step. */
  _id?: string | undefined;
}

export interface PipelineForm {
  name: string;
  isDefault: boolean;
  steps: readonly StepForm[];
  /** Where the conversations of removed steps go. */
  replacements: Readonly<Record<string, string>>;
}

let made = 0;
export const makeStep = (): StepForm => ({ key: `new-${(made += 1)}`, name: '', kind: 'OPEN' });

export const toForm = (pipeline: Pipeline | null): PipelineForm => ({
  name: pipeline?.name ?? '',
  isDefault: pipeline?.is_default ?? false,
  steps: pipeline?.steps.map(({ _id, name, kind }) => ({ key: _id, _id, name, kind })) ?? [makeStep()],
  replacements: {},
});

export function savePipeline(pipeline: Pipeline | null, form: PipelineForm): Promise<Pipeline> {
  const { name, isDefault, replacements } = form;
  // A default pipeline stays it until another one takes its place.
  const toDefault = isDefault && !pipeline?.is_default ? { is_default: true } : {};
  const steps = form.steps.map(({ _id, name: title, kind }) => ({ ...(_id ? { _id } : {}), name: title, kind }));
  if (!pipeline) return parley.pipelines.create({ name, steps, ...toDefault });
  return parley.pipelines.update(pipeline._id, { name, steps, replacements, ...toDefault });
}

/** Returns the removed steps whose conversations still need a place. The platform names them when it refuses. */
export function listStranded(error: unknown, steps: readonly PipelineStep[]): PipelineStep[] {
  if (!isParleyError(error) || error.code !== 'STEP_IN_USE') return [];
  const paths = error.problem?.errors.map(({ path }) => path) ?? [];
  return steps.filter(({ _id }) => paths.includes(`replacements.${_id}`));
}
