import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveStatuses } from '../full/proofs/statuses.ts';

test("a message's status never goes back, whatever the order and repetition of its statuses, and each real change emits one event", async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveStatuses({ messages: 100, statuses: 1_000, seed })));
});
