import { test } from 'node:test';
import { seedOfRun } from '../full/harness/chance.ts';
import { proveOutage } from '../full/proofs/outage.ts';

test('while the database is away every request is answered within 2 s, nothing acknowledged is lost, and 2 s after its return all is well', async (t) => {
  const seed = seedOfRun();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveOutage({ rounds: 1, awayMs: 5_000, judgesPace: false, seed })));
});
