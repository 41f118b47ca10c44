/** How many slots a company may take: two until its work has ended quickly, then its whole share. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createCompanySlots, type CompanySlots } from './slots.ts';

function start(slots: CompanySlots, company: string): () => void {
  slots.claim(company);
  return slots.begin(company);
}

test('a company has two slots until its work ended quickly once, then its whole share, whatever other companies do', () => {
  const slots = createCompanySlots(8);
  assert.equal(slots.first, 2);
  const landFirst = start(slots, 'a');
  const landSecond = start(slots, 'a');
  start(slots, 'b');
  assert.deepEqual(
    [...slots.free()],
    [
      ['a', 0],
      ['b', 1],
    ],
  );
  landFirst();
  assert.deepEqual(
    [...slots.free()],
    [
      ['a', 7],
      ['b', 1],
    ],
  );
  assert.equal(slots.busy(), 2);
  landSecond();
  assert.equal(slots.busy(), 1);
  assert.equal(slots.free().has('a'), false);
});

test('a row claimed ahead counts for the share of its company, and takes a slot only when it begins', () => {
  const slots = createCompanySlots(8);
  slots.claim('a');
  slots.claim('a');
  assert.deepEqual([slots.busy(), slots.free().get('a'), slots.mayBegin('a', 0)], [0, 0, true]);
  const land = slots.begin('a');
  assert.deepEqual([slots.busy(), slots.free().get('a')], [1, 0]);
  slots.withdraw('a');
  assert.equal(slots.free().get('a'), 1);
  land();
  assert.deepEqual([slots.busy(), slots.free().has('a')], [0, false]);
});

test('a company falls back to two slots once its work takes longer than a second, even before it ends', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const slots = createCompanySlots(8);
  start(slots, 'a')();
  const lands = [1, 2, 3].map(() => start(slots, 'a'));
  assert.equal(slots.free().get('a'), 5);
  slots.claim('a');
  assert.equal(slots.mayBegin('a', 0), true);
  mock.timers.tick(1_000);
  assert.equal(slots.free().get('a'), -2);
  assert.equal(slots.mayBegin('a', 0), false);
  for (const land of lands) land();
  assert.equal(slots.busy(), 0);
  assert.deepEqual([slots.mayBegin('a', 1), slots.mayBegin('a', 2)], [true, false]);
  slots.withdraw('a');
  const land = start(slots, 'a');
  assert.equal(slots.free().get('a'), 1);
  land();
  mock.timers.reset();
});

test('no company works on two rows at once when the limit is one slot per company', () => {
  assert.equal(createCompanySlots(1).first, 1);
});
