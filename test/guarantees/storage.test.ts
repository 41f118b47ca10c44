import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveStorage } from '../full/proofs/storage.ts';

test('a filling disk refuses writes before its reserve is used up, reads continue, no acknowledged write is lost, and service recovers by itself', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const account = await proveStorage({ rounds: 1, seed });
  if (!account) return t.skip('no small disk can be mounted here');
  t.diagnostic(JSON.stringify(account));
});
