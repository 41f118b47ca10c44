import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTrails } from '../full/matrix/run-trails.ts';

const { audit, repeats } = await runTrails({ companies: 1, everybody: false });

test('whatever is written leaves one line in the audit: who, what, which record, which fields; what is refused leaves none', (t) => {
  assert.deepEqual(audit.faults, []);
  t.diagnostic(`${audit.asked} requests`);
});

test('a request that is repeated with its Idempotency-Key makes nothing twice and answers with the same record; another one is 422', (t) => {
  assert.deepEqual(repeats.faults, []);
  t.diagnostic(`${repeats.asked} requests`);
});
