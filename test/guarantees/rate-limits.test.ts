import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveLimits } from '../full/proofs/limits.ts';

test('over three processes a key, a company and an address that logs in get no more requests than their limit allows, within 1 %', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveLimits({ seconds: 2, perKey: 40, perCompany: 100, judgesPace: false, seed })));
});
