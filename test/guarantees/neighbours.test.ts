import { test } from 'node:test';
import { proveFloods } from '../full/proofs/floods.ts';
import { proveNeighbours } from '../full/proofs/neighbours.ts';

test('a company whose receiver never answers occupies only its own slots, and deliveries of other companies end meanwhile', async (t) => {
  t.diagnostic(JSON.stringify(await proveNeighbours({ companies: 5, each: 60, hanging: 2_000, judgesPace: false })));
});

test('a key that sends ten times its rate is refused, and requests of other companies are answered meanwhile', async (t) => {
  t.diagnostic(JSON.stringify(await proveFloods({ companies: 4, rounds: 2, seconds: 1, judgesPace: false })));
});
