import { test } from 'node:test';
import { seedOfRun } from '../full/harness/chance.ts';
import { proveIdempotency } from '../full/proofs/idempotency.ts';

test('an Idempotency-Key makes one thing, however many come with it at once and however often the API is killed over it (defect 5)', async (t) => {
  const seed = seedOfRun();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveIdempotency({ keys: 30, kills: 2, seed })));
});
