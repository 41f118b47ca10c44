import { test } from 'node:test';
import { listFigures, proveGreedy } from '../full/proofs/greedy.ts';

test('a company that uses its limits in twelve ways causes no other company a refusal, a wait for a computation or a lack of memory', async (t) => {
  const size = { companies: 3, perSecond: 2, aloneSeconds: 1, seconds: 1, scale: 0.25, judgesPace: false };
  for (const account of await proveGreedy(size)) {
    t.diagnostic(`${account.greed}: ${JSON.stringify(listFigures(account))}`);
  }
});
