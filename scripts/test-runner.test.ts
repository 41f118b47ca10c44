import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

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

test('when test files share a process, each begins after the one before has closed what it opened, and a file that cannot be loaded or exits takes no other with it', async (t) => {
  const { output, ...verdict } = await runFiles(t, [
    {
      // Like most test files, this one waits for something before it declares its tests.
      'a.test.mjs': `await new Promise(setImmediate); after(() => console.log('a has ended')); test('a passes', () => undefined);`,
      'b.test.mjs': `throw new Error('b cannot be loaded');`,
      'c.test.mjs': `console.log('c begins'); test('c passes', () => undefined);`,
    },
    {
      'd.test.mjs': `test('d exits', () => process.exit(0));`,
      'e.test.mjs': `test('e passes', () => undefined);`,
    },
  ]);
  assert.match(output, /a has ended[^]*c begins/);
  for (const name of ['a', 'c', 'e']) assert.match(output, new RegExp(`✔ ${name} passes`));
  assert.match(output, /b cannot be loaded[^]*the process ended before the tests of this file/);
  assert.deepEqual(verdict, { hasFailed: true, unsteady: ['e.test.mjs'], passed: 3, failed: 2 });
});

test('the second test file of a process gets what the first one borrowed, renewed, and nothing is lent for a second call or for options', async (t) => {
  const borrow = `const { borrow } = await import('${resolveSupport('lending')}');
    const shared = {
      open: async () => ({ renewed: 0 }),
      renew: async (thing) => void (thing.renewed += 1),
      close: async ({ renewed }) => console.log('closed after', renewed, 'renewals'),
    };
    const lent = [await borrow('thing', { own: true }, shared), await borrow('thing', {}, shared), await borrow('thing', {}, shared)];
    const print = (name) => test(name, () => console.log(name, JSON.stringify(lent.map((thing) => thing ?? null))));`;
  const files = { 'a.test.mjs': `${borrow} print('first');`, 'b.test.mjs': `${borrow} print('second');` };
  const { output } = await runFiles(t, [files]);
  assert.match(output, /first \[null,\{"renewed":0\},null\][^]*second \[null,\{"renewed":1\},null\]/);
  assert.match(output, /closed after 1 renewals/);
  const alone = await runFiles(t, [{ 'a.test.mjs': files['a.test.mjs'] }]);
  assert.match(alone.output, /first \[null,null,null\]/);
});

test('a test file that fails runs once more, alone, after all others: when it passes then, it is listed with its first failure and the run passes', async (t) => {
  const unsteady = (name: string): string =>
    [
      `import { existsSync, writeFileSync } from 'node:fs';`,
      `const path = import.meta.filename + '.ran';`,
      `test('${name} passes at its second run', () => {`,
      `  const isFirst = !existsSync(path); writeFileSync(path, ''); if (isFirst) throw new Error('${name} was slow');`,
      `});`,
      `test('${name} passes always', () => console.log('${name} runs'));`,
    ].join('\n');
  const { output, ...verdict } = await runFiles(t, [
    { 'a.test.mjs': unsteady('a') },
    { 'b.test.mjs': unsteady('b'), 'c.test.mjs': `test('c passes', () => console.log('c runs'));` },
  ]);
  assert.deepEqual(verdict, { hasFailed: false, unsteady: ['a.test.mjs', 'b.test.mjs'], passed: 5, failed: 0 });
  assert.match(output, /c passes[^]*a runs[^]*b runs[^]*a\.test\.mjs: a passes at its second run: a was slow\n/);
  assert.doesNotMatch(output, /✖/);
});

test('a test file that fails twice fails the run, and the failures of its second run are shown last', async (t) => {
  const { output, ...verdict } = await runFiles(t, [
    { 'a.test.mjs': `test('a fails', () => { throw new Error('always'); }); test.todo('later'); test.skip('never');` },
    { 'b.test.mjs': `test('b passes', () => undefined);` },
  ]);
  assert.deepEqual(verdict, { hasFailed: true, unsteady: [], passed: 1, failed: 1 });
  assert.match(output, /ℹ tests 4\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 1\n/);
  assert.match(output, /✖ failing tests:[^]*a fails[^]*always/);
});

test('a test file that fails for one seed alone fails twice, because its second run draws from the same seed', async (t) => {
  const code = [
    `import { existsSync, readFileSync, writeFileSync } from 'node:fs';`,
    `import { readSeed } from '${import.meta.resolve('../test/full/harness/chance.ts')}';`,
    `const path = import.meta.filename + '.seed';`,
    `test('all seeds but the first one pass', () => {`,
    `  const seed = String(readSeed());`,
    `  if (!existsSync(path)) writeFileSync(path, seed);`,
    `  if (readFileSync(path, 'utf8') === seed) throw new Error('found with seed ' + seed);`,
    `});`,
  ].join('\n');
  const { output, ...verdict } = await runFiles(t, [{ 'a.test.mjs': code }], { SEED: '' });
  assert.deepEqual(verdict, { hasFailed: true, unsteady: [], passed: 0, failed: 1 });
  const [, seed] = /found with seed (\d+)/.exec(output) ?? [];
  assert.match(output, new RegExp(`SEED=${seed}\\nfailed twice:\\n  \\S+a\\.test\\.mjs\\n`));
});

test('a seed that is given to the run is the one of its files', async (t) => {
  const chance = import.meta.resolve('../test/full/harness/chance.ts');
  const code = `import { readSeed } from '${chance}';\ntest('a', () => console.log('drawn from', readSeed()));`;
  const { output } = await runFiles(t, [{ 'a.test.mjs': code }], { SEED: '4711' });
  assert.match(output, /drawn from 4711\n/);
});

test('the CPU time of all and the dearest files are printed before the closing lines', async (t) => {
  const { output } = await runFiles(t, [{ 'a.test.mjs': `test('a passes', () => undefined);` }]);
  assert.match(output, /CPU time: \d+\.\d minutes, the dearest files:\n +\d+\.\d s {2}\S+a\.test\.mjs\nℹ tests 1\n/);
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

interface FilesVerdict {
  output: string;
  hasFailed: boolean;
  unsteady: string[];
  passed: number;
  failed: number;
}

/** Runs programs of test files, which are given with their code, as npm test does. */
async function runFiles(
  t: TestContext,
  programs: Record<string, string>[],
  env: Record<string, string> = {},
): Promise<FilesVerdict> {
  const folder = makeFolder(t);
  for (const [name, code] of programs.flatMap((files) => Object.entries(files)))
    writeFileSync(join(folder, name), `import { after, test } from 'node:test';\n${code}\n`);
  const given = programs.map((files) => ({ files: Object.keys(files).map((name) => join(folder, name)), weight: 1 }));
  const program = writeProgram(
    t,
    `import { runPrograms } from '${import.meta.resolve('./run-tests.ts')}';\n` +
      `const hasFailed = await runPrograms(${JSON.stringify(given)}, { quiet: false });\n` +
      `process.exitCode = hasFailed ? 1 : 0;\n`,
  );
  const { output, exitCode } = await runNode([program], env);
  const [, list = ''] = /^unsteady:\n((?: {2}.*\n)+)/m.exec(output) ?? [];
  const readCount = (name: string): number => Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1]);
  return {
    output,
    hasFailed: exitCode !== 0,
    unsteady: list.match(/\w+\.test\.mjs(?=:)/g) ?? [],
    passed: readCount('pass'),
    failed: readCount('fail'),
  };
}
