/**
 * `npm run eval -- agent <id> questions.jsonl`: puts questions to an agent of a running platform and reports its answers. PARLEY_URL and
 * PARLEY_KEY name the platform and a key with the scope agents:update. Each line of the file is a JSON object: {"question": "…"}, and
 * `"handoff": true` where a person should answer. Nothing is sent or stored.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs, styleText } from 'node:util';
import { createClient } from '../sdk/src/index.ts';
import { summarize, toLine, type Evaluated, type EvalQuestion } from './eval-report.ts';

const USAGE = 'usage: npm run eval -- agent ID QUESTIONS.jsonl [--json]';

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });
const [kind, agent, path] = positionals;
const token = process.env['PARLEY_KEY'];
if (kind !== 'agent' || agent === undefined || path === undefined || token === undefined) {
  console.error(token === undefined ? `${USAGE}\nPARLEY_KEY must hold an API key.` : USAGE);
  process.exit(1);
}
const parley = createClient({ url: process.env['PARLEY_URL'] ?? 'http://127.0.0.1:3000', token });

const evaluated: Evaluated[] = [];
for (const { question, handoff } of readQuestions(await readFile(path, 'utf8'))) {
  const trial = await parley.agents.try(agent, { message: question });
  const result = { question, handoff, trial };
  evaluated.push(result);
  console.log(values.json ? JSON.stringify(result) : toLine(result));
}
if (!values.json) console.log(`\n${summarize(evaluated)}`);

function readQuestions(text: string): EvalQuestion[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const { question, handoff = false } = JSON.parse(line) as { question?: unknown; handoff?: unknown };
    if (typeof question === 'string' && typeof handoff === 'boolean') return [{ question, handoff }];
    console.error(styleText('red', `line ${index + 1} needs a "question", and "handoff" can be true or false`));
    process.exit(1);
  });
}
