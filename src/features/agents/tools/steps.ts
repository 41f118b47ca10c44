/** A function that moves the conversation in its pipeline. */
import { findPipelineOrDefault } from '../../pipelines/pipelines.ts';
import { NameArguments } from './schemas.ts';
import { Refusal, type Scene, type Tool } from './tool.ts';

/** Returns null when the company has no pipeline. */
export async function stepTool({ acting, conversation, plan }: Scene): Promise<Tool | null> {
  const pipeline = await findPipelineOrDefault(acting.read, conversation?.pipeline ?? null);
  if (!pipeline) return null;
  const { steps } = pipeline;
  const current = steps.find(({ _id }) => _id === conversation?.step);
  return {
    name: 'move_step',
    description: `Moves the conversation to another step of its pipeline. Steps: ${steps.map(({ name }) => name).join('; ')}. Now: ${current?.name ?? 'none'}.`,
    parameters: NameArguments,
    call: ({ name }: NameArguments) => {
      const step = steps.find((each) => each.name === name);
      if (!step) throw new Refusal('There is no such step.');
      plan.step = step._id;
      return Promise.resolve('The conversation is moved when you have answered.');
    },
  };
}
