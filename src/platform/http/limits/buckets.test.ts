import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBucket, type Bucket } from './buckets.ts';

test('a process remembers ten thousand token buckets and all from which it has unused tokens, and forgets the oldest others', () => {
  const buckets = new Map<string, Bucket>();
  const find = (number: number): Bucket =>
    findBucket(buckets, { subject: `address:${number}`, refillPerSecond: 1, capacity: 1 }, 0);
  const held = Array.from({ length: 100 }, (_, number) => find(number));
  for (const bucket of held) bucket.localTokens = 1;
  for (let number = 100; number < 50_000; number += 1) {
    find(number);
    assert.ok(buckets.size <= 10_000 + held.length, `${buckets.size} at ${number}`);
  }
  for (const bucket of held) assert.equal(buckets.get(bucket.subject), bucket);
  assert.ok(buckets.has('address:49999') && !buckets.has('address:100'));
  assert.equal(find(49_999), buckets.get('address:49999'));
});
