import { test } from 'node:test';
import { seedOfRun } from '../full/harness/chance.ts';
import { proveIdempotency } from '../full/proofs/idempotency.ts';

test('an Idempotency-Key creates one record, however many requests carry it at once and however often the API is killed meanwhile (defect 5)', async (t) => {
  const seed = seedOfRun();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveIdempotency({ keys: 30, kills: 2, seed })));
});
