import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORGERIES } from '../full/matrix/forgeries.ts';
import { proveForgeries } from '../full/proofs/forgeries.ts';

// The least number of forgeries that the proof must try.
const LEAST = 60;

test('a forged token is refused by every operation, and every forgery gets the same 401', async (t) => {
  assert.ok(FORGERIES.length >= LEAST);
  assert.equal(new Set(FORGERIES.map(({ name, family }) => `${family} ${name}`)).size, FORGERIES.length);
  t.diagnostic(JSON.stringify(await proveForgeries({ everything: false })));
});
