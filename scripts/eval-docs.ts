/**
 * `npm run eval:docs -- --scenario N --command '<how to start a coding agent>'`: tells whether an agent that has only the address of the
 * documentation gets a task done. The command gets the task as its standard input and in PROMPT, runs in an empty folder with PARLEY_KEY, and ends
 * when it thinks that it is done. Without --scenario all are run.
 */
import { spawn } from 'node:child_process';
import { parseArgs, styleText } from 'node:util';
import { evaluate, type Worker } from '../test/full/docs-eval/evaluate.ts';
import { SCENARIOS } from '../test/full/docs-eval/scenarios.ts';
import { openTestServer } from '../test/support/database.ts';

const { values } = parseArgs({ options: { scenario: { type: 'string' }, command: { type: 'string' } } });
const asked = values.scenario === undefined ? null : Number(values.scenario);
const chosen = SCENARIOS.filter((_scenario, index) => asked === null || index + 1 === asked);
const { command } = values;
if (command === undefined || chosen.length === 0) {
  console.error(`usage: npm run eval:docs -- [--scenario N] --command '<how to start a coding agent>'`);
  for (const [index, { name }] of SCENARIOS.entries()) console.error(`  ${index + 1}  ${name}`);
  process.exit(1);
}

const work: Worker = ({ folder, platform, port }, prompt) =>
  new Promise((ended) => {
    const env = {
      ...process.env,
      PROMPT: prompt,
      PARLEY_KEY: platform.demo.key,
      PARLEY_URL: platform.url,
      PORT: String(port),
    };
    const agent = spawn(command, { cwd: folder, env, shell: true, stdio: ['pipe', 'inherit', 'inherit'] });
    agent.stdin?.on('error', () => undefined);
    agent.stdin?.end(prompt);
    agent.on('close', () => ended());
  });

const server = await openTestServer({ durable: false });
process.env['PARLEY_TEST_SERVER'] = JSON.stringify(server.address);
let failed = 0;
for (const scenario of chosen) {
  const missing = await evaluate(scenario, work);
  if (missing !== null) failed += 1;
  const verdict = missing === null ? styleText('green', 'passed') : styleText('red', `failed: ${missing}`);
  console.log(`${SCENARIOS.indexOf(scenario) + 1} ${scenario.name}: ${verdict}`);
}
await server.close();
process.exit(failed === 0 ? 0 : 1);
