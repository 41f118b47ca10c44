import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCallback } from '../../channels/wap-auto-closer/parse.ts';
import { PORTION, readPortions } from './portions.ts';

const value = (part: object): object => ({ metadata: { phone_number_id: '1' }, ...part });
const inMessages = (part: object): object => ({
  entry: [{ id: '1', changes: [{ field: 'messages', value: value(part) }] }],
});
const many = <T>(count: number, part: T): T[] => Array.from({ length: count }, () => part);

async function assertSliced(body: unknown): Promise<void> {
  const slices: number[] = [];
  let begun = process.threadCpuUsage();
  let isReading = true;
  const note = (): void => {
    const { user, system } = process.threadCpuUsage(begun);
    slices.push(user + system);
    begun = process.threadCpuUsage();
    if (isReading) setImmediate(note);
  };
  setImmediate(note);
  for await (const portion of readPortions(parseCallback(body), () => undefined)) assert.ok(portion.length <= PORTION);
  isReading = false;
  note();
  const total = slices.reduce((sum, slice) => sum + slice, 0);
  const longest = Math.max(...slices);
  assert.ok(longest < total / 2, `${longest} of ${total} µs in one of ${slices.length} slices`);
}

test('parsing a callback with a million invalid entries never blocks the event loop for long', () =>
  assertSliced({ entry: many(1_000_000, 0) }));

test('parsing a callback with many changes of ignored fields never blocks the event loop for long', () =>
  assertSliced({ entry: [{ id: '1', changes: many(250_000, { field: 'calls' }) }] }));

test('parsing a callback with many invalid messages never blocks the event loop for long', () =>
  assertSliced(inMessages({ messages: many(500_000, null) })));

test('parsing a callback with many unknown statuses never blocks the event loop for long', () =>
  assertSliced(inMessages({ statuses: many(120_000, { id: '1', status: 'new', timestamp: '1' }) })));
