import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLooks } from './looks.ts';

test('a caller that waits for a look gets the first one that begins later, although one follows the other without a pause', async () => {
  let begun = 0;
  const looks = createLooks(async () => {
    begun += 1;
    // Something has changed during the look, so another one is due before it ends.
    if (begun < 100) void looks.look();
  });
  await looks.look();
  assert.equal(begun, 1);
  await looks.look();
  assert.equal(begun, 2);
  await looks.rest();
  assert.equal(begun, 100);
});
