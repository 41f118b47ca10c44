import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneAtATime } from './due-work.ts';

test('a stop of due work waits for the run that is under way, and no further run begins', async () => {
  const gate = Promise.withResolvers<void>();
  let ended = 0;
  const looks = oneAtATime(async () => {
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

test('a run of due work that has several steps ends after the step in which it was stopped', async () => {
  let steps = 0;
  const looks = oneAtATime(async (signal) => {
    while (!signal.aborted) {
      await Promise.resolve();
      steps += 1;
    }
  });
  looks.begin();
  await looks.stop();
  assert.equal(steps, 1);
});
