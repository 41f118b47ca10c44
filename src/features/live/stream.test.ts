import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStream } from './stream.ts';

const MEGABYTE = Buffer.alloc(1024 * 1024, 'a');

test('a client that does not read is disconnected at a limit, and what others receive is not held up', async () => {
  const [idle, quick] = [createStream(), createStream()];
  const received: number[] = [];
  const reading = (async () => {
    for await (const piece of quick.readable) received.push((piece as Buffer).length);
  })();
  for (let sent = 0; sent < 8; sent += 1) {
    idle.send(MEGABYTE);
    quick.send(MEGABYTE);
    await quick.taken();
  }
  quick.end();
  await reading;
  assert.equal(received.length, 8);
  let pieces = 0;
  for await (const _ of idle.readable) pieces += 1;
  assert.ok(pieces > 0 && pieces < 8, `${pieces} pieces were kept`);
});
