import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parseCallback } from '../../channels/wap-auto-closer/parse.ts';
import { PORTION, readPortions } from './portions.ts';

const value = (part: object): object => ({ metadata: { phone_number_id: '1' }, ...part });
const inMessages = (part: object): object => ({
  entry: [{ id: '1', changes: [{ field: 'messages', value: value(part) }] }],
});
const many = <T>(count: number, part: T): T[] => Array.from({ length: count }, () => part);

/** Reads with a clock that goes on by a millisecond at each look, and counts how often other work of the event loop gets its turn. */
async function assertYields(t: TestContext, body: unknown, parts: number): Promise<void> {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => (nowMs += 1));
  let turns = 0;
  let isReading = true;
  const count = (): void => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  for await (const portion of readPortions(parseCallback(body), () => undefined)) assert.ok(portion.length <= PORTION);
  isReading = false;
  assert.ok(turns > parts / 10, `${turns} turns for ${parts} parts`);
}

test('parsing a callback with 100,000 invalid entries lets other work of the event loop in', (t) =>
  assertYields(t, { entry: many(100_000, 0) }, 100_000));

test('parsing a callback with many changes of ignored fields lets other work of the event loop in', (t) =>
  assertYields(t, { entry: [{ id: '1', changes: many(25_000, { field: 'calls' }) }] }, 25_000));

test('parsing a callback with many invalid messages lets other work of the event loop in', (t) =>
  assertYields(t, inMessages({ messages: many(50_000, null) }), 50_000));

test('parsing a callback with many unknown statuses lets other work of the event loop in', (t) =>
  assertYields(t, inMessages({ statuses: many(12_000, { id: '1', status: 'new', timestamp: '1' }) }), 12_000));
