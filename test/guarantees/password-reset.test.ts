import { test } from 'node:test';
import { proveReset } from '../full/proofs/reset.ts';

// The full sizes hold 1 ms. Here fewer tries are made, on a machine that runs other tests beside them: half of what a refusal
// takes is the bar, which a refusal that forgets to hash, or is hashed for, misses by far.
test('a mailed link sets a password once, however many use it at once, and no refusal tells by its bytes or its time what was wrong', async (t) => {
  t.diagnostic(JSON.stringify(await proveReset({ uses: 40, tries: 80, logIns: 20, judgesMs: false })));
});
