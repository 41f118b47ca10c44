import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveDeliveries } from '../full/proofs/deliveries.ts';

test('a delivery is received at most once and ends in exactly one status, however often workers are killed', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveDeliveries({ events: 400, kills: 2, seed })));
});
