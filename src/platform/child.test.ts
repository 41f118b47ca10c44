/** Work on untrusted files in a child process can not stop the parent process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ChildEnded, openChild, type Child, type Supply } from './child.ts';

const MODULE = new URL('../../test/support/stubborn-child.ts', import.meta.url);
const PLENTY_MS = 10_000;
const open = (supply: Supply = async () => 'given'): Child =>
  openChild({ module: MODULE, heapMb: 48, nice: 15 }, supply);
const endedBy =
  (why: string) =>
  (error: unknown): boolean =>
    error instanceof ChildEnded && error.why === why;

test('work that never ends is killed after its CPU time, and the parent process is not blocked', async () => {
  const child = open();
  await child.ask({ wish: 'tell' }, PLENTY_MS);
  const alone = monitorEventLoopDelay({ resolution: 5 });
  alone.enable();
  await new Promise((resolve) => setTimeout(resolve, 500));
  alone.disable();
  const beside = monitorEventLoopDelay({ resolution: 5 });
  beside.enable();
  await assert.rejects(child.ask({ wish: 'loop' }, 500), endedBy('LATE'));
  beside.disable();
  // An endless loop in this process would delay the event loop by half a second or more.
  assert.ok(beside.max < 500e6, `${beside.max / 1e6} ms, ${alone.max / 1e6} ms alone`);
  await assert.rejects(child.ask({ wish: 'tell' }, PLENTY_MS), endedBy('LATE'));
});

test('work that needs more memory than allowed ends together with its child process', async () => {
  const child = open();
  await assert.rejects(child.ask({ wish: 'eat' }, 60_000), endedBy('DIED'));
});

test("a child process has a low priority and none of its parent's environment variables", async () => {
  const child = open();
  assert.deepEqual(await child.ask({ wish: 'tell' }, PLENTY_MS), { priority: 15, environment: [] });
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

test("when the parent can not supply requested data, the child's work fails with that error", async () => {
  const child = open(async () => Promise.reject(new Error('the database is away')));
  await assert.rejects(child.ask({ wish: 'fetch' }, PLENTY_MS), /the database is away/);
});
