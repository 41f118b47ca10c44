import { test } from 'node:test';
import { seedOfRun } from '../full/harness/chance.ts';
import { proveStorage } from '../full/proofs/storage.ts';

test('a disk that fills refuses writes before its reserve is gone, reading goes on, nothing acknowledged is lost, and it recovers by itself', async (t) => {
  const seed = seedOfRun();
  t.diagnostic(`SEED=${seed}`);
  const account = await proveStorage({ rounds: 1, seed });
  if (!account) return t.skip('no small disk can be mounted here');
  t.diagnostic(JSON.stringify(account));
});
