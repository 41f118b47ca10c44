import { test } from 'node:test';
import { proveHostiles } from '../full/proofs/hostiles.ts';

test('each attempt at a receiver that sends false lengths, slow bytes, floods, redirects or nothing ends with the name of its fault, and an honest receiver gets its deliveries', async (t) => {
  const unjudged = { attemptMs: Infinity, delay99Ms: Infinity, grownMb: Infinity };
  t.diagnostic(JSON.stringify(await proveHostiles({ each: 2, ...unjudged })));
});
