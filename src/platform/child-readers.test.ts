/** The child processes that read files, and how they are reused and ended. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ByteSource } from './byte-source.ts';
import { createReaders } from './child-readers.ts';

const readers = createReaders(new URL('../../test/support/stubborn-child.ts', import.meta.url), 0);
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

test('when the caller closes the connection, the child process that reads the file ends at once', async () => {
  const caller = new AbortController();
  const reader = readers.open('c', empty, caller.signal);
  const reading = reader.ask({ wish: 'loop' }, 600_000);
  setTimeout(() => caller.abort(), 200);
  await assert.rejects(reading, { why: 'DIED' });
  await assert.rejects(reader.ask({ wish: 'tell' }, PLENTY_MS), { code: 'UNAVAILABLE' });
  assert.deepEqual(Object.keys(await tell()), ['priority', 'environment']);
});
