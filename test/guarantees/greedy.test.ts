import { test } from 'node:test';
import { listFigures, proveGreedy } from '../full/proofs/greedy.ts';

test('a company that uses its limits to the full in twelve ways does not make the platform refuse other companies or end', async (t) => {
  const size = { companies: 3, perSecond: 2, aloneSeconds: 1, seconds: 1, scale: 0.25, judgesPace: false };
  for (const account of await proveGreedy(size)) {
    t.diagnostic(`${account.greed}: ${JSON.stringify(listFigures(account))}`);
  }
});
