/** Work on untrusted files in a child process cannot stop the parent process. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listLiving } from '../../../test/support/process.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { ChildEnded, openChild, type Child, type Supply } from './child.ts';

const MODULE = new URL('../../../test/support/stubborn-child.ts', import.meta.url);
const PLENTY_MS = 600_000;
const open = (supply: Supply = async () => 'given'): Child =>
  openChild({ module: MODULE, heapMb: 48, nice: 15 }, supply);
const endedBy =
  (why: string) =>
  (error: unknown): boolean =>
    error instanceof ChildEnded && error.why === why;

test('work that never ends is killed after its CPU time, and the parent process is not blocked', async () => {
  const child = open();
  await child.ask({ wish: 'tell' }, PLENTY_MS);
  // If the endless loop ran in this process, this would never be rejected.
  await assert.rejects(child.ask({ wish: 'loop' }, 500), endedBy('LATE'));
  await assert.rejects(child.ask({ wish: 'tell' }, PLENTY_MS), endedBy('LATE'));
});

/** Starts a parent process whose child is in work that never ends and may take this much CPU time, and returns their pids. */
async function startParent(cpuMs: number): Promise<{ parent: number; child: number }> {
  const file = fileURLToPath(new URL('../../../test/support/short-lived-parent.ts', import.meta.url));
  const parent = spawn(process.execPath, [file, String(cpuMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  return { parent: parent.pid ?? 0, child: Number(line.toString()) };
}

test('a child process that computes without end is gone soon after its parent was killed', async () => {
  const { parent, child } = await startParent(3_600_000);
  assert.deepEqual(listLiving([child]), [child]);
  process.kill(parent, 'SIGKILL');
  await waitUntil('the child to be gone', () => listLiving([child]).length === 0);
});

test('a child process ends at twice its CPU time when its parent stands still', async () => {
  const { parent, child } = await startParent(500);
  process.kill(parent, 'SIGSTOP');
  try {
    await waitUntil('the child to have ended', () => listLiving([child]).length === 0);
  } finally {
    process.kill(parent, 'SIGKILL');
  }
});

test('work that needs more memory than allowed ends together with its child process', async () => {
  const child = open();
  await assert.rejects(child.ask({ wish: 'eat' }, PLENTY_MS), endedBy('DIED'));
});

// Other systems do not enforce the limit.
const skip = process.platform === 'linux' ? false : 'needs Linux';
test('work gets no more memory than allowed outside of the heap either', { skip }, async () => {
  const child = open();
  await assert.rejects(child.ask({ wish: 'gulp' }, PLENTY_MS), /^Error: in a child process: RangeError/);
});

test("a child process has its parent's priority until it is lowered with all of its threads, and none of its parent's environment variables", async () => {
  const child = open();
  assert.deepEqual(await child.ask({ wish: 'tell' }, PLENTY_MS), { priority: getPriority(), environment: [] });
  child.lower();
  assert.deepEqual(await child.ask({ wish: 'tell' }, PLENTY_MS), { priority: 15, environment: [] });
  const pid = (await child.ask({ wish: 'pid' }, PLENTY_MS)) as number;
  if (process.platform === 'linux')
    for (const thread of readdirSync(`/proc/${pid}/task`)) assert.equal(getPriority(Number(thread)), 15);
  child.end();
  await assert.rejects(child.ask({ wish: 'tell' }, PLENTY_MS), endedBy('DIED'));
});

test('an AppError of a child reaches the caller unchanged, and any other error without its message', async () => {
  const child = open();
  await assert.rejects(child.ask({ wish: 'refuse' }, PLENTY_MS), {
    code: 'VALIDATION_FAILED',
    message: 'file is broken',
  });
  assert.equal(await child.ask({ wish: 'fetch' }, PLENTY_MS), 'given');
  await assert.rejects(child.ask({ wish: 'break' }, PLENTY_MS), (error: Error) => {
    assert.match(error.message, /^in a child process: RangeError/);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
});

test("when the parent cannot supply requested data, the child's work fails with that error", async () => {
  const child = open(async () => Promise.reject(new Error('the database is away')));
  await assert.rejects(child.ask({ wish: 'fetch' }, PLENTY_MS), /the database is away/);
});
