import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveSends } from '../full/proofs/sends.ts';

test('a message is sent at most once, however often the API is killed between the call and its answer', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveSends({ sends: 100, kills: 2, seed })));
});
