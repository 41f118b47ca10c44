import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveStopping } from '../full/proofs/stopping.ts';

test('SIGTERM under load cuts no request and no delivery, and the process ends with code 0', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveStopping({ rounds: 3, judgesPace: false, seed })));
});
