import { test } from 'node:test';
import { seedOfRun } from '../full/harness/chance.ts';
import { proveStatuses } from '../full/proofs/statuses.ts';

test('a message never goes back, whatever order and repetition its statuses arrive in, and each real change is told once', async (t) => {
  const seed = seedOfRun();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveStatuses({ messages: 100, statuses: 1_000, seed })));
});
