import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../values/errors.ts';
import { createSpacedTurns } from './spaced-turns.ts';

test('work that cannot begin in time is refused with UNAVAILABLE, and the work in progress continues', async () => {
  const turns = createSpacedTurns({ waitMs: 20, cheapMs: 1_000 });
  const gate = Promise.withResolvers<string>();
  const first = turns.within('one company', () => gate.promise);
  const late = turns.within('one company', async () => 'too late');
  await assert.rejects(late, (error) => error instanceof AppError && error.code === 'UNAVAILABLE');
  gate.resolve('done');
  assert.equal(await first, 'done');
});

test('the failure of a piece of work is reported to its caller, and the next piece begins', async () => {
  const turns = createSpacedTurns({ waitMs: 1_000, cheapMs: 1_000 });
  const failed = turns.within('one company', () => Promise.reject(new Error('the statement failed')));
  const next = turns.within('one company', async () => 'next');
  await assert.rejects(failed, /the statement failed/);
  assert.equal(await next, 'next');
});
