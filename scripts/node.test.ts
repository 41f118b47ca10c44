/** The scripts of package.json on an older Node, as npm before 11.7 starts them: it leaves away the link by which `node` is Node 26. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { openTestDatabase } from '../test/support/database.ts';
import { findNode } from '../test/support/older-node.ts';
import { listDescendants, listLiving, makeDataFolder } from '../test/support/process.ts';
import { waitUntil } from '../test/support/wait.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const older = findNode(/^v2[0-5]\./);
const skip = older === null && 'this machine has no Node older than 26';

/** Runs a script of package.json in a shell where `node` is the older one. The process is killed at the end of the test. */
async function runScript(t: TestContext, script: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const data = await makeDataFolder(t);
  const folder = dirname(data);
  symlinkSync(older ?? '', join(folder, 'node'));
  const child = spawn('/bin/sh', ['-c', `exec ${script}`], {
    env: { PATH: [folder, '/usr/bin', '/bin'].join(delimiter), DATA_DIR: data, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

test(
  'with an older Node in the place of the link, npm start serves, and a signal to it ends all of it in order',
  { skip },
  async (t) => {
    const database = await openTestDatabase();
    t.after(() => database.close());
    const env = { DATABASE_URL: database.url, PORT: '0', DATABASE_WAIT: '30s' };
    const child = await runScript(t, scripts['start'] ?? '', env);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => (said += String(piece)));
    await waitUntil('the program to be ready', () => {
      assert.equal(child.exitCode, null, said);
      return said.includes('Parley is ready on');
    });
    const processes = listDescendants(child.pid ?? 0);
    assert.ok(processes.length > 0);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null], said);
    assert.deepEqual(listLiving(processes), []);
  },
);

test('when the older Node is killed, the program that it has started gets SIGTERM', { skip }, async (t) => {
  const program = join(dirname(await makeDataFolder(t)), 'program.mjs');
  writeFileSync(
    program,
    `process.on('SIGTERM', () => process.stdout.write('ended in order', () => process.exit()));
    setInterval(() => undefined, 60_000);
    process.stdout.write('begun, ');`,
  );
  const child = await runScript(t, `node scripts/node.js ${program}`);
  let said = '';
  child.stdout?.on('data', (piece: Buffer) => (said += String(piece)));
  await waitUntil('the program to begin', () => said === 'begun, ');
  child.kill('SIGKILL');
  await once(child, 'close');
  assert.equal(said, 'begun, ended in order');
});

test(
  'with an older Node in the place of the link, npm test runs a test file, and its exit code is passed on',
  { skip },
  async (t) => {
    const passing = await runScript(t, `${scripts['test']} src/channels/office-hours.test.ts`);
    const [output, [code]] = await Promise.all([text(passing.stdout!), once(passing, 'exit')]);
    assert.match(output, /ℹ fail 0\n/);
    assert.equal(code, 0, output);
    const failing = await runScript(t, `${scripts['test']} no-such.test.ts`);
    assert.deepEqual(await once(failing, 'exit'), [1, null]);
  },
);

test('every script of package.json starts through scripts/node.js', () => {
  for (const [name, script] of Object.entries(scripts))
    assert.match(script, /^node (?:--\S+ )*scripts\/node\.js \S+/, name);
});

test('Node 18 is told in one sentence which Node is needed', () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, 'scripts/node.js', 'src/launch.js'];
  assert.throws(
    () => execFileSync(process.execPath, args, { stdio: 'pipe', encoding: 'utf8' }),
    ({ status, stdout, stderr }: { status: number; stdout: string; stderr: string }) => {
      assert.deepEqual(
        [status, stdout, stderr],
        [1, '', 'parley: this is Node 18.20.4; install Node 20 or newer, with its npm\n'],
      );
      return true;
    },
  );
});

test('when the shell in which npm runs a script ends, the program gets SIGTERM', async (t) => {
  const program = join(dirname(await makeDataFolder(t)), 'program.mjs');
  writeFileSync(
    program,
    `process.on('SIGTERM', () => process.stdout.write('ended in order', () => process.exit()));
    setInterval(() => undefined, 60_000);
    process.stdout.write('begun, ');`,
  );
  // The second command keeps the shell from becoming the program itself.
  const shell = spawn('/bin/sh', ['-c', `"${process.execPath}" scripts/node.js ${program}; true`], {
    env: { ...process.env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  shell.stdout.on('data', (piece: Buffer) => (said += String(piece)));
  await waitUntil('the program to begin', () => said === 'begun, ');
  shell.kill('SIGTERM');
  await once(shell, 'close');
  assert.equal(said, 'begun, ended in order');
});
