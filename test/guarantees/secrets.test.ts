import { test } from 'node:test';
import { proveSecrets } from '../full/proofs/secrets.ts';

test('no password, token, key or header value appears in an answer, the database, a job, a delivery, a file or a log', async (t) => {
  t.diagnostic(JSON.stringify(await proveSecrets({ rounds: 1 })));
});
