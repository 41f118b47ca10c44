/** Storing the outcomes of a queue while the database refuses them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitUntil } from '../../../../test/support/wait.ts';
import { createLog } from '../telemetry.ts';
import { createOutcomes } from './outcomes.ts';
import type { RowOutcome } from './queue.ts';

test('an outcome that the server never accepts delays no other, and is left out once it has failed often while others were stored', async () => {
  const stored: string[] = [];
  let refusals = 0;
  const record = async (outcomes: RowOutcome[]): Promise<void> => {
    if (outcomes.some(({ _id }) => _id === 'bad')) {
      refusals += 1;
      throw Object.assign(new Error('could not read block 7'), { code: 'XX000' });
    }
    stored.push(...outcomes.map(({ _id }) => _id));
  };
  const outcomes = createOutcomes({ name: 'parcels', record }, createLog('silent'), () => undefined, 1);
  const settled: string[] = [];
  outcomes.add({ _id: 'bad' }, () => settled.push('bad'));
  await waitUntil('it to fail often', () => refusals > 50);
  assert.deepEqual(settled, [], 'nothing shows that the database works');
  for (let count = 0; settled.length === 0; count += 1) {
    outcomes.add({ _id: `good-${count}` }, () => undefined);
    await waitUntil('the other to be stored', () => stored.includes(`good-${count}`));
    const before = refusals;
    await waitUntil('the refused one to be tried again', () => settled.length > 0 || refusals > before + 4);
  }
  assert.equal(outcomes.waiting(), 0);
  assert.ok(stored.length > 10, `${stored.length} others were stored before`);
});
