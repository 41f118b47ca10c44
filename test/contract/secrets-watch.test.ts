/** Tests the program that searches texts for secrets in the proof of secrets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecretWatch } from '../full/proofs/watch.ts';

test('the search for leaked secrets finds a secret in plain text, in hex, and in base64 at any offset', () => {
  const value = 'hidden0123456789';
  for (const before of ['', 'a', 'ab', 'abc']) {
    const bytes = Buffer.from(`${before}${value}${before}`);
    for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
      const watch = createSecretWatch();
      watch.add('it', value);
      watch.search('a text', bytes.toString(encoding));
      assert.deepEqual(watch.found(), ['it in a text'], `${encoding} after ${before}`);
    }
  }
});
