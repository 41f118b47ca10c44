import { test } from 'node:test';
import { proveNeighbours } from '../full/proofs/neighbours.ts';

test('a company whose receiver never answers holds its own slots and delays no other company', async (t) => {
  t.diagnostic(JSON.stringify(await proveNeighbours({ companies: 5, each: 60, hanging: 2_000, judgesPace: false })));
});
