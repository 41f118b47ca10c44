import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseForeignJson, TooManyParts } from './foreign-json.ts';

const parse = (json: string): unknown => parseForeignJson(Buffer.from(json));
const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const list = (count: number, item: string): string => `[${Array(count).fill(item).join(',')}]`;

test('JSON with too many objects, values or levels is refused, whatever its texts end in', () => {
  for (const json of [
    list(20_000, '{}'),
    list(100_002, '1'),
    nest(65),
    '['.repeat(1_000_000),
    String.raw`["\\",${list(20_000, '{}')}]`,
    `data: "\n\ndata: ${list(20_000, '{}')}`,
  ])
    assert.throws(() => parse(json), TooManyParts, json.slice(0, 40));
});

test('JSON within the limits is parsed, and what its texts contain is not counted', () => {
  for (const json of [
    list(19_999, '{}'),
    list(100_001, '1'),
    nest(64),
    JSON.stringify(['{[,"\\'.repeat(100_000), { 'a\\"[': '[' }]),
  ])
    assert.deepEqual(parse(json), JSON.parse(json));
});
