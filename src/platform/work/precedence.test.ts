import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPrecedence } from './precedence.ts';

const HOUR_MS = 3_600_000;
const { signal } = new AbortController();

test('background work waits while sixteen callers wait for their answers, and begins when one of them has it', async () => {
  const precedence = createPrecedence();
  const callers = Array.from({ length: 16 }, () => precedence.enter());
  let isCalm = false;
  const waiting = precedence.waitForCalm(HOUR_MS, signal).then(() => (isCalm = true));
  await sleep(100);
  assert.equal(isCalm, false);
  callers[0]!();
  await waiting;
  await precedence.waitForCalm(HOUR_MS, signal);
});

test('background work begins after its longest wait, and ends its wait when it is aborted', async () => {
  const precedence = createPrecedence();
  for (let count = 0; count < 100; count += 1) precedence.enter();
  await precedence.waitForCalm(1, signal);
  const abort = new AbortController();
  const waiting = precedence.waitForCalm(HOUR_MS, abort.signal);
  abort.abort();
  await waiting;
});
