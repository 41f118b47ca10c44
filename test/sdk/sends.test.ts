import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveClientSends } from '../full/proofs/client-sends.ts';

test('100 sends whose answers are cut after the commit make 100 messages, and the client returns each of them', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveClientSends({ sends: 100, seed })));
});
