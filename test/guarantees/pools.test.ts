import { test } from 'node:test';
import { provePools } from '../full/proofs/pools.ts';

test('two companies that wait for their own locked rows delay no request and no callback of six other companies', async (t) => {
  t.diagnostic(JSON.stringify(await provePools({ companies: 6, slow: 2, callers: 8, rounds: 2 })));
});
