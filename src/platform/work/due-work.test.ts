import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookOneAtATime } from './due-work.ts';

test('a stop of a periodic job waits for the run in progress, and no further run begins', async () => {
  const gate = Promise.withResolvers<void>();
  let ended = 0;
  const looks = lookOneAtATime(async () => {
    await gate.promise;
    ended += 1;
  });
  looks.begin();
  looks.begin();
  const stopped = looks.stop().then(() => ended);
  looks.begin();
  setImmediate(gate.resolve);
  assert.equal(await stopped, 1);
  looks.begin();
  await looks.stop();
  assert.equal(ended, 1);
});

test('a periodic job with several steps ends after the step during which it was stopped', async () => {
  let steps = 0;
  const looks = lookOneAtATime(async (signal) => {
    while (!signal.aborted) {
      await Promise.resolve();
      steps += 1;
    }
  });
  looks.begin();
  await looks.stop();
  assert.equal(steps, 1);
});
