import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLostDigits, isPrecise } from './numbers.ts';

test('numbers of up to 15 significant digits are precise, wherever the decimal point is, and numbers of 16 are not', () => {
  const kept = [
    '0',
    '-0',
    '123456789012345',
    '-0.000123456789012345',
    '1e400',
    '100000000000000000000',
    '1.50000000000000000',
  ];
  for (const text of kept) assert.ok(isPrecise(text), text);
  for (const text of ['1234567890123456', '0.1234567890123456', '-12345678.90123456e-7', 0.1 + 0.2])
    assert.ok(!isPrecise(text), String(text));
});

test('findLostDigits returns the path of a number that would lose digits, and null when every parser reads all numbers alike', () => {
  const lost: [string, string][] = [
    ['{"a":{"b":[1,10000000000000001]}}', 'a.b[1]'],
    ['[{"value": 9007199254740993}]', '[0].value'],
    ['{"a":0.1000000000000000055511151231257827}', 'a'],
    ['10000000000000001', ''],
  ];
  for (const [json, path] of lost) assert.equal(findLostDigits(json), path, json);
  const kept = [
    '{"a":"10000000000000001"}',
    '{"a":-46.63330809999999}',
    '{"a":1000000000000000000000}',
    '{"a":1.50000000000000000}',
    '{"a":"x:10000000000000001","b":[true,null,7]}',
    '',
  ];
  for (const json of kept) assert.equal(findLostDigits(json), null, json);
});
