/** Changes callbacks of networks at random, and judges what a parser makes of them. */
import assert from 'node:assert/strict';

type Json = Record<string, unknown>;

function makeNested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { '\0deep': value };
  return value;
}

const JUNK: (() => unknown)[] = [
  () => null,
  () => undefined,
  () => true,
  () => '',
  () => '\0\ud800x',
  () => 'constructor',
  () => -1,
  () => 1e308,
  () => Number.MAX_SAFE_INTEGER + 2,
  () => '1781524800',
  () => 'BR.77',
  () => [],
  () => ({}),
  () => [[[]]],
  () => JSON.parse('{"__proto__": {"polluted": true}, "type": "text"}'),
  () => makeNested(20_000),
  () => Array.from({ length: 300 }, () => null),
  () => 'x'.repeat(100_000),
];

/** Lists every property and list element in a JSON value: the object or list that holds it, and its key. */
function listProperties(value: unknown, places: [Json, string][] = []): [Json, string][] {
  if (typeof value !== 'object' || value === null) return places;
  for (const key of Object.keys(value)) {
    places.push([value as Json, key]);
    listProperties((value as Json)[key], places);
  }
  return places;
}

/** Changes a callback at random. `pristine` is an unchanged copy, whose parts are put into wrong properties of the callback. */
export function mutate(callback: unknown, pristine: unknown, random: () => number): void {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const places = listProperties(callback);
  const parts = listProperties(pristine).map(([holder, key]) => holder[key]);
  for (let left = 1 + Math.floor(random() * 4); left > 0 && places.length > 0; left -= 1) {
    const [holder, key] = pick(places);
    const kind = random();
    if (kind < 0.25 && Array.isArray(holder)) holder.splice(Number(key), 1);
    else if (kind < 0.25) delete holder[key];
    else if (kind < 0.7) holder[key] = pick(JUNK)();
    else if (kind < 0.9) holder[key] = pick(parts);
    else holder[pick(['type', 'from', 'id', 'errors', 'messages', 'system', 'key', 'message'])] = holder[key];
  }
}

/** Asserts that PostgreSQL can store the value. */
export function assertStorable(value: unknown, depth = 0): void {
  assert.ok(depth < 50, 'nothing is nested without bound');
  if (typeof value === 'string') assert.ok(value.isWellFormed() && !value.includes('\0'));
  else if (typeof value === 'number') assert.ok(Number.isFinite(value));
  else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    for (const [key, item] of Object.entries(value)) {
      assertStorable(key);
      assertStorable(item, depth + 1);
    }
  } else
    assert.ok(value === null || typeof value === 'boolean' || value instanceof Date, `${typeof value} at ${depth}`);
}
