import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { listOverruns } from './run-tests.ts';

test('no installed spreadsheet reader trusts the sizes that a file declares (defect 13)', () => {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    packages: object;
  };
  const names = Object.keys(lock.packages).map((path) => path.split('node_modules/').at(-1));
  assert.ok(names.length > 100);
  assert.deepEqual(
    names.filter((name) => name === 'xlsx' || name === 'exceljs'),
    [],
  );
});

test('a failed test is not retried: neither the runner nor the npm scripts ask for a repetition (defect 16)', () => {
  for (const file of ['scripts/test.ts', 'scripts/run-tests.ts', 'package.json', '.ci/run']) {
    assert.doesNotMatch(
      readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'),
      /retr(y|ies)|rerun|--test-rerun/i,
      file,
    );
  }
});

const CHILD = `spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e3)'], { stdio: 'inherit' })`;
const HANGING = {
  'computes for ever': `test('endless', () => { for (;;); });`,
  'keeps a timer': `setInterval(() => 0, 1e3); test('done', () => undefined);`,
  'keeps a process that holds its output': `${CHILD}; test('done', () => undefined);`,
};

for (const [what, code] of Object.entries(HANGING)) {
  test(`a test file that ${what} is ended at its deadline and fails`, async (t) => {
    const path = writeProgram(
      t,
      `import { spawn } from 'node:child_process';\nimport { test } from 'node:test';\n${code}\n`,
    );
    const { exitCode, output } = await runNode(['--test', '--import', resolveSupport('deadline'), path], {
      PARLEY_TEST_DEADLINE_MS: '1500',
    });
    assert.match(output, /this test file took longer than 1\.5 s/);
    assert.equal(exitCode, 1);
  });
}

test(
  'the CPU time of a test file includes the processes that it started',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const compute = 'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);';
    const code = `import { spawnSync } from 'node:child_process';\n${compute}\nspawnSync(process.execPath, ['-e', ${JSON.stringify(compute)}]);\n`;
    const path = writeProgram(t, code);
    const notes = `${path}.costs`;
    await runNode(['--import', resolveSupport('cost'), path], { PARLEY_TEST_COSTS: notes });
    const { file, cpu } = JSON.parse(readFileSync(notes, 'utf8')) as { file: string; cpu: number };
    assert.equal(file, path);
    assert.ok(cpu >= 0.6, `${cpu} s`);
  },
);

test('a test file that uses more than four times the CPU time that is listed for it fails, but none that uses less than 25 s', () => {
  const listed = new Map([['heavy.test.ts', { cpu: 10, wall: 1 }]]);
  const judge = (heavy: number, other: number): string[] =>
    listOverruns(
      new Map([
        ['heavy.test.ts', { cpu: heavy, wall: 1 }],
        ['other.test.ts', { cpu: other, wall: 1 }],
      ]),
      listed,
    );
  assert.deepEqual(judge(40, 25), []);
  const [heavy, other] = judge(41, 26);
  assert.match(heavy ?? '', /^heavy\.test\.ts used 41\.0 s of CPU time, and its budget is 40\.0 s/);
  assert.match(other ?? '', /^other\.test\.ts used 26\.0 s of CPU time, and its budget is 25\.0 s/);
});

const resolveSupport = (name: string): string => import.meta.resolve(`../test/support/${name}.ts`);

function writeProgram(t: TestContext, code: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-runner-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'program.test.mjs'), code);
  return join(folder, 'program.test.mjs');
}

async function runNode(args: string[], env: Record<string, string>): Promise<{ exitCode: number; output: string }> {
  // A runner inside another one would otherwise report to that one.
  const { NODE_TEST_CONTEXT: _outer, ...rest } = process.env;
  const child = spawn(process.execPath, args, { env: { ...rest, ...env }, stdio: 'pipe' });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const [exitCode] = (await once(child, 'close')) as [number];
  return { exitCode, output: Buffer.concat(output).toString() };
}
