/** How many slots a company may take: two until its work has ended quickly, then its whole share. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createCompanySlots } from './slots.ts';

test('a company has two slots until its work ended quickly once, then its whole share, whatever other companies do', () => {
  const slots = createCompanySlots(8);
  assert.equal(slots.first, 2);
  const landFirst = slots.begin('a');
  const landSecond = slots.begin('a');
  slots.begin('b');
  assert.deepEqual(
    [...slots.free()],
    [
      ['a', 0],
      ['b', 1],
    ],
  );
  landFirst.free();
  assert.deepEqual(
    [...slots.free()],
    [
      ['a', 7],
      ['b', 1],
    ],
  );
  assert.equal(slots.busy(), 2);
  landSecond.free();
  assert.equal(slots.busy(), 1);
  assert.equal(slots.free().has('a'), false);
});

test('a company falls back to two slots once its work takes longer than a second, even before it ends', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const slots = createCompanySlots(8);
  slots.begin('a').free();
  const lands = [1, 2, 3].map(() => slots.begin('a'));
  assert.equal(slots.free().get('a'), 5);
  mock.timers.tick(1_000);
  assert.equal(slots.free().get('a'), -1);
  for (const land of lands) land.free();
  assert.equal(slots.busy(), 0);
  const land = slots.begin('a');
  assert.equal(slots.free().get('a'), 1);
  land.free();
  mock.timers.reset();
});

test('a company whose work was quick keeps its whole share while its outcomes take long to be stored', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const slots = createCompanySlots(8);
  slots.begin('a').free();
  const slot = slots.begin('a');
  slot.endWork();
  mock.timers.tick(60_000);
  assert.equal(slots.free().get('a'), 7);
  slot.free();
  slots.begin('a');
  assert.equal(slots.free().get('a'), 7);
  mock.timers.reset();
});

test('no company works on two rows at once when the limit is one slot per company', () => {
  assert.equal(createCompanySlots(1).first, 1);
});
