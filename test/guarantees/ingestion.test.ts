import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveIngestion } from '../full/proofs/ingestion.ts';

test('a callback answered with 200 is stored exactly once, however often the API is killed', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveIngestion({ processes: 2, messages: 100, kills: 1, restarts: 0, seed })));
});
