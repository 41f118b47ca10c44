import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './pace.ts';

test('a sender that exceeds its rate is told how long to wait, counting only its own bytes and the time that has passed', () => {
  const pace = createPace(1_000);
  const beganMs = performance.now();
  pace.count('fast', 5_000);
  const ahead = pace.count('fast', 5_000);
  const passedMs = performance.now() - beganMs;
  assert.ok(ahead <= 10_000 && ahead >= 10_000 - passedMs, `${ahead} ms`);
  assert.ok(pace.count('slow', 1) <= 1);
  // Many idle owners make the pace forget other idle owners, but not an owner that is ahead of its rate.
  for (let n = 0; n < 1_000; n += 1) pace.count(`owner ${n}`, 0);
  assert.ok(pace.count('fast', 0) > 5_000);
});
