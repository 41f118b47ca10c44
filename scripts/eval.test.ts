import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startPlatform } from '../test/support/platform.ts';
import { waitUntil } from '../test/support/wait.ts';
import { measureGroundedness } from './eval-report.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const folder = await mkdtemp(join(tmpdir(), 'eval-'));
after(() => rm(folder, { recursive: true }));

test('questions are put to an agent, and the report says how it answered each and whether that was expected', async () => {
  const content = 'We deliver cakes on Sundays.';
  const item = (await call(201, 'POST', '/v1/knowledge/autcl', { body: { name: 'Delivery', content } })).body;
  await waitUntil('the item to be prepared', async () => {
    const { body } = await call(200, 'GET', `/v1/knowledge/${item._id}`);
    return body.status === 'READY';
  });
  const agent = (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI' } })).body;
  const file = join(folder, 'questions.jsonl');
  const lines = [
    { question: 'Do you deliver cakes on Sundays?' },
    { question: 'Who wrote Hamlet?', handoff: true },
    { question: 'Hamlet?' },
  ];
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const env = { ...process.env, PARLEY_URL: platform.url, PARLEY_KEY: demo.key };
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/eval.ts', 'agent', agent._id, file], {
    env,
  });
  assert.match(stdout, /✔ Do you deliver cakes on Sundays\?\n {2}We deliver cakes on Sundays\.[^]*grounded: \d+ %/);
  assert.match(stdout, /✔ Who wrote Hamlet\?\n {2}a person takes over \(NO_ANSWER\)/);
  assert.match(stdout, /✖ Hamlet\?[^]*3 questions, 1 answered, 2 handed over; 2 as expected/);
});

test('groundedness is the share of the words of an answer that stand in its passages or the question', () => {
  const passage = { item: '', name: 'Delivery', position: 0, coverage: 1, content: 'Cakes come on Sundáys.' };
  const trial = { outcome: 'ANSWERED' as const, reason: null, passages: [passage], latency_ms: 1 };
  const measure = (answer: string | null) =>
    measureGroundedness({ question: 'When?', handoff: false, trial: { ...trial, answer } });
  assert.deepEqual([measure('Cakes: SUNDAYS'), measure('Cakes from Paris'), measure(null)], [1, 1 / 3, null]);
});
