import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveLive } from '../full/proofs/live.ts';

test('a page whose stream breaks again and again ends with what the API answers, also when processes die before they announce a change and a transaction stays open', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveLive({ disconnects: 15, kills: 1, heldMs: 3_000, seed })));
});
