/** Evaluates one scenario: prepares a stage, lets somebody work on the task, and checks what has become of it. */
import type { Json } from '../../support/platform.ts';
import { openEvalStage, type EvalStage } from './stage.ts';
import type { Scenario } from './scenarios.ts';

/** Does the task in the folder of the stage. */
export type Worker = (stage: EvalStage, prompt: string) => Promise<void>;

/** Returns what is missing; null when the task is done. */
export async function evaluate(scenario: Scenario, work: Worker, patienceMs?: number): Promise<string | null> {
  const stage = await openEvalStage(patienceMs);
  try {
    const facts: Json = (await scenario.prepare?.(stage)) ?? {};
    await work(stage, writePrompt(stage, scenario.task(stage, facts)));
    await scenario.check(stage, facts);
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await stage.close();
  }
}

const writePrompt = ({ platform }: EvalStage, task: string): string =>
  `Parley is a customer messaging platform. It runs at ${platform.url}, and its documentation is at ${platform.url}/docs. ` +
  `The API key of the company is in the environment variable PARLEY_KEY. Its networks are simulated, so no real message leaves this machine.\n\n` +
  `${task}\n\nThe current folder is yours. Use only the documentation and the running platform.\n`;
