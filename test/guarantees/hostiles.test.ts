import { test } from 'node:test';
import { proveHostiles } from '../full/proofs/hostiles.ts';

test('a receiver that sends false lengths, slow bytes, floods, redirects or nothing occupies one delivery slot of its company for at most 10 s', async (t) => {
  t.diagnostic(JSON.stringify(await proveHostiles({ each: 2, attemptMs: 14_000, delay99Ms: 2_000 })));
});
