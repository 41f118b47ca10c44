import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveBulk } from '../full/proofs/bulk.ts';

test('a bulk run sends to nobody twice, its totals are exact and each faulty contact is named, however often its process is killed', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveBulk({ contacts: 200, bad: 20, kills: 2, seed })));
});
