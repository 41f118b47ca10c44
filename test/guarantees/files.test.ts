import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveFiles } from '../full/proofs/files.ts';

test('a file is stored with the type of its contents and nowhere but in the store, whatever its name, its media type and the file behind it are', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const size = { disguises: 1, names: 30, atOnce: 10, seed };
  t.diagnostic(JSON.stringify(await proveFiles(size)));
});
