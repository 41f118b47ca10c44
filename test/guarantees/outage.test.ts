import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveOutage } from '../full/proofs/outage.ts';

test('while the database is away every request is answered, no acknowledged write is lost, and service is normal after its return', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveOutage({ rounds: 1, awayMs: 5_000, judgesPace: false, seed })));
});
