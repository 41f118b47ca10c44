import { test } from 'node:test';
import { seedOfRun } from '../full/harness/chance.ts';
import { proveLimits } from '../full/proofs/limits.ts';

test('over three processes a key, a company and an address that logs in get as many requests as their limit allows, within 1 %, and callers below their limit are never refused', async (t) => {
  const seed = seedOfRun();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveLimits({ seconds: 4, perKey: 40, perCompany: 100, seed })));
});
