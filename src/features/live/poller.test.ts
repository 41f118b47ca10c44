import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPoller } from './poller.ts';

test('a caller that waits for a poll gets the first one that begins later, although one follows the other without a pause', async () => {
  let begun = 0;
  const poller = createPoller(async () => {
    begun += 1;
    // Something has changed during the poll, so another one is due before it ends.
    if (begun < 100) void poller.poll();
  });
  await poller.poll();
  assert.equal(begun, 1);
  await poller.poll();
  assert.equal(begun, 2);
  await poller.rest();
  assert.equal(begun, 100);
});
