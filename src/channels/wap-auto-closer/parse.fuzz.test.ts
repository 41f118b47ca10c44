/** Parses notifications that no network would send: random mutations of the fixtures. Each result must come quickly and be well formed. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { seedOfRun } from '../../../test/full/harness/chance.ts';
import { randomFrom } from '../../../test/support/random.ts';
import type { Inbound, Person } from '../channel.ts';
import { CONTENT_TYPES, type MessageContent } from '../content.ts';
import { parseElements } from '../../../test/support/callbacks.ts';
import type { Json } from './values.ts';

const ROUNDS = 6000;
/** The most CPU milliseconds for one notification: a few kB take well below a millisecond, so a parser that needs a second is broken. */
const BUDGET_MS = 1000;

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
function mutate(callback: unknown, pristine: unknown, random: () => number): void {
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
    else holder[pick(['type', 'from', 'id', 'errors', 'messages', 'system'])] = holder[key];
  }
}

function assertStorable(value: unknown, depth = 0): void {
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

function assertPerson({ names }: Person): void {
  assert.ok(names.length > 0);
  for (const { kind, address } of names) {
    if (kind === 'PHONE') assert.match(address, /^\d{5,15}$/);
    else assert.equal(kind, 'BSUID');
  }
}

function assertContent(content: MessageContent): void {
  assert.ok(CONTENT_TYPES.includes(content.contentType));
  assert.ok(content.contentType !== 'TEXT' || content.content === null || typeof content.content === 'string');
  assert.equal(
    ['IMAGE', 'VIDEO', 'AUDIO', 'DOCUMENT', 'STICKER'].includes(content.contentType),
    content.media !== null,
  );
  assert.equal(content.contentType === 'REACTION', content.reaction !== null);
  assert.equal(content.contentType === 'LOCATION', content.location !== null);
  assert.equal(content.contentType === 'INTERACTIVE', content.interactive !== null);
}

function assertWellFormed(item: Inbound): void {
  assertStorable(item);
  if (item.kind === 'unreadable') return assert.ok(item.reason !== '');
  assert.ok(item.timestamp.getTime() > 0);
  if (item.kind === 'account') return assert.ok(item.account !== '');
  assert.ok(item.address !== '');
  if (item.kind === 'preference') return assertPerson(item.person);
  assert.ok(item.externalId !== '' && item.externalId.length <= 512);
  if (item.kind === 'message') {
    assertPerson(item.person);
    assertContent(item);
    if (item.renamed) assertPerson(item.renamed);
  }
  if (item.kind === 'edit') assertContent(item.content);
  if (item.kind === 'edit' || item.kind === 'revoke') assert.ok(item.originalExternalId !== '');
}

test(`${ROUNDS} mutated notifications are all parsed in time, and their elements are well formed`, (t) => {
  const folder = new URL('./fixtures/', import.meta.url);
  const sources = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const seed = seedOfRun();
  t.diagnostic(`SEED=${seed}`);
  const random = randomFrom(seed);
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const source = sources[round % sources.length] ?? '';
    const { callback } = JSON.parse(source) as Json;
    mutate(callback, JSON.parse(source), random);
    const cpu = process.cpuUsage();
    const read = parseElements(callback);
    const { user, system } = process.cpuUsage(cpu);
    assert.ok(user + system < BUDGET_MS * 1_000, `round ${round} took too long`);
    try {
      for (const item of read) assertWellFormed(item);
    } catch (error) {
      // Failure policy: the error is thrown again, with the seed and the round that repeat it.
      throw new Error(`round ${round} of SEED=${seed}`, { cause: error });
    }
    for (const { kind } of read) seen.add(kind);
  }
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  assert.deepEqual([...seen].toSorted(), [
    'account',
    'edit',
    'message',
    'preference',
    'revoke',
    'status',
    'unreadable',
  ]);
});

test('a notification with 400,000 null messages is parsed, and each message gives one element', () => {
  const messages = Array.from({ length: 400_000 }, () => null);
  const value = { metadata: { phone_number_id: '1' }, messages };
  const read = parseElements({ entry: [{ id: '1', changes: [{ field: 'messages', value }] }] });
  assert.equal(read.length, messages.length);
});
