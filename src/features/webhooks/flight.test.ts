/** How many slots a company may take: two until its receiver has answered quickly, then its whole share. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createFlight, type Flight } from './flight.ts';

function start(flight: Flight, company: string): () => void {
  flight.claim(company);
  return flight.begin(company);
}

test('a company has two slots until a quick answer, then its whole share, whatever other companies do', () => {
  const flight = createFlight(8);
  assert.equal(flight.first, 2);
  const landFirst = start(flight, 'a');
  const landSecond = start(flight, 'a');
  start(flight, 'b');
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

test('a delivery claimed ahead counts for the share of its company, and takes a slot only when it begins', () => {
  const flight = createFlight(8);
  flight.claim('a');
  flight.claim('a');
  assert.deepEqual([flight.busy(), flight.free().get('a'), flight.mayBegin('a', 0)], [0, 0, true]);
  const land = flight.begin('a');
  assert.deepEqual([flight.busy(), flight.free().get('a')], [1, 0]);
  flight.withdraw('a');
  assert.equal(flight.free().get('a'), 1);
  land();
  assert.deepEqual([flight.busy(), flight.free().has('a')], [0, false]);
});

test('a company falls back to two slots once its receiver takes longer than a second, even before the answer arrives', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const flight = createFlight(8);
  start(flight, 'a')();
  const lands = [1, 2, 3].map(() => start(flight, 'a'));
  assert.equal(flight.free().get('a'), 5);
  flight.claim('a');
  assert.equal(flight.mayBegin('a', 0), true);
  mock.timers.tick(1_000);
  assert.equal(flight.free().get('a'), -2);
  assert.equal(flight.mayBegin('a', 0), false);
  for (const land of lands) land();
  assert.equal(flight.busy(), 0);
  assert.deepEqual([flight.mayBegin('a', 1), flight.mayBegin('a', 2)], [true, false]);
  flight.withdraw('a');
  const land = start(flight, 'a');
  assert.equal(flight.free().get('a'), 1);
  land();
  mock.timers.reset();
});

test('with one slot per company no company has two', () => {
  assert.equal(createFlight(1).first, 1);
});
