/** How many slots a company may take: two until its receiver has answered quickly, then its share. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createFlight } from './flight.ts';

test('a company has two slots until a quick answer, then its whole share, whatever the others do', () => {
  const flight = createFlight(8);
  assert.equal(flight.first, 2);
  const landFirst = flight.begin('a');
  const landSecond = flight.begin('a');
  flight.begin('b');
  assert.deepEqual(
    [...flight.free()],
    [
      ['a', 0],
      ['b', 1],
    ],
  );
  landFirst();
  assert.deepEqual(
    [...flight.free()],
    [
      ['a', 7],
      ['b', 1],
    ],
  );
  assert.equal(flight.busy(), 2);
  landSecond();
  assert.equal(flight.busy(), 1);
  assert.equal(flight.free().has('a'), false);
});

test('a receiver that takes longer than a second falls back to two slots, while it is still waited for', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const flight = createFlight(8);
  flight.begin('a')();
  const lands = [1, 2, 3].map(() => flight.begin('a'));
  assert.equal(flight.free().get('a'), 5);
  mock.timers.tick(1_000);
  assert.equal(flight.free().get('a'), -1);
  for (const land of lands) land();
  assert.equal(flight.busy(), 0);
  const land = flight.begin('a');
  assert.equal(flight.free().get('a'), 1);
  land();
  mock.timers.reset();
});

test('with one slot per company nobody has two', () => {
  assert.equal(createFlight(1).first, 1);
});
