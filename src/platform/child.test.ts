/** Work on foreign data in a child process: whatever it does there, this process goes on. */
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

test('work without an end is ended after its CPU time, and nobody else waits for it', async () => {
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
  // A loop in this process would be one delay of half a second and more.
  assert.ok(beside.max < 500e6, `${beside.max / 1e6} ms, ${alone.max / 1e6} ms alone`);
  await assert.rejects(child.ask({ wish: 'tell' }, PLENTY_MS), endedBy('LATE'));
});

test('work that needs more memory than it may have ends with its process', async () => {
  const child = open();
  await assert.rejects(child.ask({ wish: 'eat' }, 60_000), endedBy('DIED'));
});

test('a child has a low priority and no settings of its parent', async () => {
  const child = open();
  assert.deepEqual(await child.ask({ wish: 'tell' }, PLENTY_MS), { priority: 15, environment: [] });
  child.end();
  await assert.rejects(child.ask({ wish: 'tell' }, PLENTY_MS), endedBy('DIED'));
});

test('what a child says about its file is told as it is, and a defect without the data', async () => {
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

test('what a child could not be given is what its work fails with', async () => {
  const child = open(async () => Promise.reject(new Error('the database is away')));
  await assert.rejects(child.ask({ wish: 'fetch' }, PLENTY_MS), /the database is away/);
});
