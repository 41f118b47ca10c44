import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { runTrails } from '../full/matrix/run-trails.ts';

const seed = readSeed();
const { audit, repeats } = await runTrails({ companies: 1, everybody: false, drawn: 24, seed });

test('each write adds one entry to the audit log with its author, action, record and fields; a refused request adds none', (t) => {
  assert.deepEqual(audit.faults, []);
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(`${audit.asked} requests`);
});

test('a request repeated with its Idempotency-Key creates nothing more and answers with the same record; a different request with the key gets 422', (t) => {
  assert.deepEqual(repeats.faults, []);
  t.diagnostic(`${repeats.asked} requests`);
});
