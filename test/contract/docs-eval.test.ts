/** The evaluation of the documentation: it tells a task that is done from one that is not. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, test } from 'node:test';
import { evaluate } from '../full/docs-eval/evaluate.ts';
import { run } from '../full/docs-eval/program.ts';
import { SCENARIOS } from '../full/docs-eval/scenarios.ts';
import { openEvalStage } from '../full/docs-eval/stage.ts';

const solutions = globSync('test/full/docs-eval/solutions/[0-9]*.ts').toSorted();
assert.equal(solutions.length, SCENARIOS.length);
const idle = await openEvalStage(100);
after(() => idle.close());

for (const [index, scenario] of SCENARIOS.entries()) {
  test(`the evaluation of the documentation knows when “${scenario.name}” is done`, async () => {
    const solve = async ({ folder, platform, port }: typeof idle, prompt: string): Promise<void> => {
      const env = { PROMPT: prompt, PARLEY_URL: platform.url, PARLEY_KEY: platform.demo.key, PORT: String(port) };
      await run(folder, resolve(solutions[index] ?? ''), [], env);
    };
    assert.equal(await evaluate(scenario, solve, Infinity), null);
  });

  test(`the evaluation of the documentation knows when “${scenario.name}” is not done`, async () => {
    const facts = (await scenario.prepare?.(idle)) ?? {};
    await assert.rejects(scenario.check(idle, facts));
  });
}
