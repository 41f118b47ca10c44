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

test('when test files share a process, each begins after the one before has closed what it opened, a file that can not be loaded fails alone, and a file that exits fails together with the files after it', async (t) => {
  const files = {
    // Like most test files, this one waits for something before it declares its tests.
    'a.test.mjs': `await new Promise(setImmediate); after(() => console.log('a has ended')); test('a passes', () => undefined);`,
    'b.test.mjs': `throw new Error('b can not be loaded');`,
    'c.test.mjs': `console.log('c begins'); test('c passes', () => undefined);`,
    'd.test.mjs': `test('d exits', () => process.exit(0));`,
    'e.test.mjs': `test('e passes', () => undefined);`,
  };
  const folder = makeFolder(t);
  for (const [name, code] of Object.entries(files))
    writeFileSync(join(folder, name), `import { after, test } from 'node:test';\n${code}\n`);
  const runner = import.meta.resolve('./run-tests.ts');
  const paths = Object.keys(files).map((name) => join(folder, name));
  const programs = [paths.slice(0, 3), paths.slice(3)].map((some) => ({ files: some, wall: 1 }));
  const program = writeProgram(
    t,
    `import { runPrograms } from '${runner}';\n` +
      `const { hasFailed, used } = await runPrograms(${JSON.stringify(programs)}, false);\n` +
      `console.log(JSON.stringify({ hasFailed, ended: [...used.keys()].map((path) => path.at(-10)) }));\n`,
  );
  const { output } = await runNode([program], {});
  assert.match(output, /a has ended[^]*c begins/);
  assert.match(output, /a has ended[^]* {2}✔ a passes[^]*✖ \S*b\.test\.mjs[^]*✔ c passes[^]*b can not be loaded/);
  assert.match(
    output,
    /✖ these files did not end, because their process ended before: \S*d\.test\.mjs \S*e\.test\.mjs\n/,
  );
  assert.match(output, /{"hasFailed":true,"ended":\["a","b","c"\]}/);
});

test('an error that nobody catches fails the test that caused it, and what a test opens after it has waited is closed at its end', async (t) => {
  const code = [
    `import { after, describe, test } from 'node:test';`,
    `const wait = () => new Promise((resolve) => setTimeout(resolve, 10));`,
    `describe('two tests', () => {`,
    `  test('opens', async () => { await wait(); after(() => console.log('closed')); });`,
    `  test('throws later', async () => { await wait(); setTimeout(() => { throw new Error('late'); }); await wait(); });`,
    `  test('comes last', () => console.log('last'));`,
    `});`,
  ].join('\n');
  const { exitCode, output } = await runNode(['--import', resolveSupport('current-test'), writeProgram(t, code)], {});
  assert.match(output, /closed[^]*last/);
  assert.match(output, /✔ opens[^]*✖ throws later[^]*✔ comes last[^]*Error: late/);
  assert.equal(exitCode, 1);
});

test(
  'the CPU time of a test file includes the processes that it started',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const compute = 'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);';
    const code = `import { spawnSync } from 'node:child_process';\n${compute}\nspawnSync(process.execPath, ['-e', ${JSON.stringify(compute)}]);\n`;
    const path = writeProgram(t, code);
    const notes = `${path}.costs`;
    await runNode(['--import', resolveSupport('cost'), path], { PARLEY_TEST_COSTS: notes });
    const noted = JSON.parse(readFileSync(notes, 'utf8')) as { path: string; cpu: number };
    assert.equal(noted.path, path);
    assert.ok(noted.cpu >= 0.6, `${noted.cpu} s`);
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

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-runner-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function writeProgram(t: TestContext, code: string): string {
  const path = join(makeFolder(t), 'program.test.mjs');
  writeFileSync(path, code);
  return path;
}

async function runNode(args: string[], env: Record<string, string>): Promise<{ exitCode: number; output: string }> {
  // This variable is removed, because with it the inner test runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _outer, ...rest } = process.env;
  const child = spawn(process.execPath, args, { env: { ...rest, ...env }, stdio: 'pipe' });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const [exitCode] = (await once(child, 'close')) as [number];
  return { exitCode, output: Buffer.concat(output).toString() };
}
