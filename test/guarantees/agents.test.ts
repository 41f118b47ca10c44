import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveHijack } from '../full/proofs/hijack.ts';
import { proveTurns } from '../full/proofs/turns.ts';

test('an agent whose model is malicious reads and changes nothing that it must not, calls no foreign address and overruns no budget', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveHijack({ contacts: 16, rounds: 2, judgesMemory: false, seed })));
});

test('a contact gets one answer at most, and a person where there is none, however often the worker of an agent is killed', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveTurns({ contacts: 12, kills: 1, seed })));
});
