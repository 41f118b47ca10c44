import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveIdempotency } from '../full/proofs/idempotency.ts';

test('an Idempotency-Key creates one record, however many requests carry it at once and however often the API is killed meanwhile (defect 5)', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveIdempotency({ processes: 2, keys: 20, kills: 1, seed })));
});
