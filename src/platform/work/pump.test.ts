import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createPump } from './pump.ts';

/** A pump over letters, whose runs last until the test ends them. */
function pumping(atOnce: number) {
  const waiting: string[] = [];
  const batches: string[] = [];
  const ends: (() => void)[] = [];
  const pump = createPump(
    (running) => running < atOnce && waiting.length > 0,
    () => {
      batches.push(waiting.splice(0).join(''));
      return new Promise((resolve) => ends.push(resolve));
    },
  );
  const add = (letters: string): void => {
    for (const letter of letters) {
      waiting.push(letter);
      pump.wake();
    }
  };
  return { pump, batches, add, endOne: () => ends.shift()?.() };
}

test('work that is added while all runs are in progress is done together by the next run', async () => {
  const { batches, add, endOne } = pumping(2);
  add('ab');
  await turn();
  add('c');
  await turn();
  add('de');
  await turn();
  assert.deepEqual(batches, ['ab', 'c']);
  endOne();
  await turn();
  await turn();
  assert.deepEqual(batches, ['ab', 'c', 'de']);
});

test('waiting for rest ends when the last run has ended and no work is left', async () => {
  const { pump, batches, add, endOne } = pumping(1);
  await pump.rest();
  add('a');
  let isAtRest = false;
  const rest = pump.rest().then(() => (isAtRest = true));
  await turn();
  add('b');
  endOne();
  await turn();
  await turn();
  assert.deepEqual([batches, isAtRest], [['a', 'b'], false]);
  endOne();
  await rest;
});
