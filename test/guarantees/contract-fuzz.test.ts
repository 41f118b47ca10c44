import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveFuzz } from '../full/proofs/fuzz.ts';

test('3,000 hostile requests get documented answers that fit their schema and never a 5xx, and the process stays alive', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveFuzz({ requests: 3_000, seed })));
});
