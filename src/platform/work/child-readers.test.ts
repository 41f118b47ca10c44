/** The child processes that read files, and how they are reused and ended. */
import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { after, test } from 'node:test';
import type { ByteSource } from '../store/byte-source.ts';
import { createReaders } from './child-readers.ts';

const readers = createReaders(new URL('../../../test/support/stubborn-child.ts', import.meta.url), 0);
after(() => readers.close());

const PLENTY_MS = 600_000;
const broken: ByteSource = {
  bytes: 1,
  // oxlint-disable-next-line require-yield -- it fails before it has anything
  async *read() {
    throw new Error('the database is away');
  },
};
const empty: ByteSource = { bytes: 0, async *read() {} };
const tell = (): Promise<object> => readers.open('b', empty).ask({ wish: 'tell' }, PLENTY_MS);

test('a child process is not used for another file after reading the bytes of its file failed', async () => {
  const reader = readers.open('a', broken);
  await assert.rejects(reader.ask({ wish: 'fetch' }, PLENTY_MS), /the database is away/);
  reader.close();
  assert.deepEqual(Object.keys(await tell()), ['priority', 'environment']);
});

// Other systems do not say how much memory a process uses.
const skip = process.platform === 'linux' ? false : 'needs Linux';
test('a child process that holds much memory after its file is not used for another one', { skip }, async () => {
  const askOnce = async (wish: string): Promise<number> => {
    const reader = readers.open('a', empty);
    const pid = await reader.ask<number>({ wish }, PLENTY_MS);
    reader.close();
    return pid;
  };
  const first = await askOnce('pid');
  assert.equal(await askOnce('hold'), first);
  assert.notEqual(await askOnce('pid'), first);
});

test('when the caller closes the connection, the child process that reads the file ends at once', async () => {
  const caller = new AbortController();
  const reader = readers.open('c', empty, { signal: caller.signal });
  const reading = reader.ask({ wish: 'loop' }, 600_000);
  setTimeout(() => caller.abort(), 200);
  await assert.rejects(reading, { why: 'DIED' });
  await assert.rejects(reader.ask({ wish: 'tell' }, PLENTY_MS), { code: 'UNAVAILABLE' });
  assert.deepEqual(Object.keys(await tell()), ['priority', 'environment']);
});

test('a small file that somebody waits for is read at the priority of this process; long work gets a low one, as work that nobody waits for, and keeps nobody from reading', async (t) => {
  const patient = createReaders(new URL('../../../test/support/stubborn-child.ts', import.meta.url), 15);
  t.after(() => patient.close());
  const own = getPriority();
  const tellPriority = async (owner: string, isAwaited: boolean): Promise<number> => {
    const reader = patient.open(owner, empty, { isAwaited });
    const { priority } = await reader.ask<{ priority: number }>({ wish: 'tell' }, PLENTY_MS);
    reader.close();
    return priority;
  };
  assert.equal(await tellPriority('a', true), own);
  assert.equal(await tellPriority('a', false), 15);
  const long = patient.open('b', empty);
  // It computes until it has the low priority, and then until it is closed.
  assert.equal(await long.ask({ wish: 'toil' }, PLENTY_MS), 15);
  const endless = long.ask({ wish: 'loop' }, PLENTY_MS);
  // On a machine of two cores one short piece of work runs at once, and the endless one is none.
  assert.equal(await tellPriority('d', true), own);
  long.close();
  await assert.rejects(endless, { why: 'DIED' });
  assert.equal(await tellPriority('b', true), own);
  assert.equal(await tellPriority('b', false), 15);
});
