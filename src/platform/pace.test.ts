import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './pace.ts';

test('an owner is ahead by what it brought, less the time that has passed, and by nothing of what others brought', () => {
  const pace = createPace(1_000);
  const beganMs = performance.now();
  pace.count('fast', 5_000);
  const ahead = pace.count('fast', 5_000);
  const passedMs = performance.now() - beganMs;
  assert.ok(ahead <= 10_000 && ahead >= 10_000 - passedMs, `${ahead} ms`);
  assert.ok(pace.count('slow', 1) <= 1);
  // Owners that come and go are forgotten, and this one is not for as long as it is ahead.
  for (let n = 0; n < 1_000; n += 1) pace.count(`owner ${n}`, 0);
  assert.ok(pace.count('fast', 0) > 5_000);
});
