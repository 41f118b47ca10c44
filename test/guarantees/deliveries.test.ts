import { test } from 'node:test';
import { seedOfRun } from '../full/harness/chance.ts';
import { proveDeliveries } from '../full/proofs/deliveries.ts';

test('a delivery is received at most once and ends in exactly one status, however often workers are killed', async (t) => {
  const seed = seedOfRun();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveDeliveries({ events: 600, kills: 3, seed })));
});
