import { test } from 'node:test';
import { seedOfRun } from '../full/harness/chance.ts';
import { proveLimits } from '../full/proofs/limits.ts';

test('over three processes a key, a company and a log-in are admitted at their limit within 1 %, and callers below it are never refused', async (t) => {
  const seed = seedOfRun();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveLimits({ seconds: 4, perKey: 40, perCompany: 100, seed })));
});
