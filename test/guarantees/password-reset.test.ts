import { test } from 'node:test';
import { proveReset } from '../full/proofs/reset.ts';

// The larger runs of this proof require a difference below 1 ms. This run makes fewer requests on a busy machine, so half the duration
// of a refusal is allowed; a refusal that skips hashing the password, or hashes it once more than others, differs by far more.
test('a mailed link sets a password once, however many requests use it at once, and no refusal shows its reason by bytes or duration', async (t) => {
  t.diagnostic(JSON.stringify(await proveReset({ uses: 40, tries: 80, logIns: 20, judgesMs: false })));
});
