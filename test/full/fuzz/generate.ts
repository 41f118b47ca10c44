/** Generates values that fit a schema, and finds the places at which they can be broken. */
import { ID_PATTERN, RECORDS_KEYWORD } from '../../../src/platform/schema.ts';
import type { Chance } from '../harness/chance.ts';
import type { Schema } from './document.ts';
import { INHERITED, NAUGHTY } from './strings.ts';
import { findMisfits } from './validate.ts';

/**
 * Suggests a value for a field by its name, or else by the kinds of records that its id can name; null without a suggestion. In a map
 * `data`, the field `data.*` is a key, and its value has the key's own name, else `data{}`.
 */
export type Hint = (field: string, chance: Chance, kinds?: string[]) => unknown;

/** Generates a value that fits. Each optional property is present half of the time. */
export function fitting(schema: Schema, chance: Chance, hint: Hint, field = ''): unknown {
  if (schema.anyOf) return fitting(chance.pick(schema.anyOf), chance, hint, field);
  if (schema.enum) return chance.pick(schema.enum);
  const types = [schema.type ?? 'string'].flat();
  const type = types.length > 1 && chance.int(4) > 0 ? types[0] : chance.pick(types);
  if (type === 'object') return fittingRecord(schema, chance, hint, field);
  if (type === 'array') return fittingList(schema, chance, hint, field);
  if (type === 'integer' || type === 'number') return fittingNumber(schema, chance);
  if (type === 'boolean') return chance.int(2) === 0;
  return type === 'null' ? null : fittingText(schema, chance, hint, field);
}

function fittingRecord(schema: Schema, chance: Chance, hint: Hint, field: string): Record<string, unknown> {
  const entries = Object.entries(schema.properties ?? {})
    .filter(([key]) => schema.required?.includes(key) || chance.int(2) === 0)
    .map(([key, inner]) => [key, fitting(inner, chance, hint, key)]);
  const { additionalProperties: others = false } = schema;
  const inner: Schema = typeof others === 'object' ? others : FREE;
  const extra = others === false ? 0 : chance.int(4);
  for (let index = 0; index < extra; index += 1) {
    const hinted =
      hint(`${field}.*`, chance, schema.propertyNames?.[RECORDS_KEYWORD]) ??
      (inner === FREE ? chance.pick(INHERITED) : null);
    const key = typeof hinted === 'string' ? hinted : `x-extra-${index}`;
    entries.push([key, hint(key, chance) ?? hint(`${field}{}`, chance) ?? fitting(inner, chance, hint)]);
  }
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** The values of an object that accepts anything. */
const FREE: Schema = { type: ['string', 'number', 'boolean', 'null'] };

function fittingList(schema: Schema, chance: Chance, hint: Hint, field: string): unknown[] {
  const { minItems = 0, maxItems = 4, items = {} } = schema;
  const count = minItems + chance.int(Math.min(maxItems, minItems + 3) - minItems + 1);
  const list = Array.from({ length: count }, () => fitting(items, chance, hint, field));
  return schema.uniqueItems ? [...new Set(list)] : list;
}

function fittingNumber(schema: Schema, chance: Chance): number {
  const { minimum = -1_000_000, maximum = 1_000_000 } = schema;
  // Limits are more likely to reveal errors, so they are chosen often.
  return chance.pick([minimum, maximum, minimum + chance.int(Math.min(maximum - minimum, 50) + 1)]);
}

/** The kinds of records that an id can name; none for a text of another form. */
export const idKinds = (schema: Schema): string[] =>
  (schema.pattern === ID_PATTERN ? schema[RECORDS_KEYWORD] : undefined) ?? [];

const PLAIN = ['Ol\u00e1', 'Ana Souza', '5511988887777', '+55 11 3333-4444', 'token-1', '100000000000009', 'a', '7'];
// A pattern that no generated text matches is left to the mutations; more tries would only take time.
const TRIES = 40;

function fittingText(schema: Schema, chance: Chance, hint: Hint, field: string): string {
  const hinted = hint(field, chance, idKinds(schema));
  if (typeof hinted === 'string') return hinted;
  for (let tried = 0; tried < TRIES; tried += 1) {
    const text = chance.int(3) === 0 ? chance.pick(PLAIN) : chance.pick(NAUGHTY);
    if (isSayable(text) && findMisfits(schema, text).length === 0) return text;
  }
  return PLAIN.find((text) => findMisfits(schema, text).length === 0) ?? 'Ana';
}

/** False for texts that are refused everywhere, whatever the schema. */
export const isSayable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

export interface Place {
  /** The keys and indices that lead from the root of the value to the place. */
  keys: (string | number)[];
  /** The place as a problem names it: `message.content`, `events[0]`. */
  path: string;
}

/** Every place in a value, except for the value itself. */
export function findPlaces(value: unknown, keys: (string | number)[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, inner]) => {
    const here = [...keys, key];
    return [{ keys: here, path: formatPath(here) }, ...findPlaces(inner, here)];
  });
}

export const formatPath = (keys: (string | number)[]): string =>
  keys.map((key, index) => (typeof key === 'number' ? `[${key}]` : (index ? '.' : '') + key)).join('');

/** A copy of `value` with another value at the place; `undefined` removes it. */
export function replaced(value: unknown, [key, ...rest]: (string | number)[], replacement: unknown): unknown {
  if (key === undefined) return replacement;
  const inner = replaced((value as Record<string | number, unknown>)[key], rest, replacement);
  if (Array.isArray(value))
    return value.flatMap((item, index) => (index === key ? (inner === undefined ? [] : [inner]) : [item]));
  const copy = new Map<string, unknown>(Object.entries(value as object));
  if (inner === undefined) copy.delete(String(key));
  else copy.set(String(key), inner);
  // Object.fromEntries defines properties, so a key named __proto__ stays a key.
  return Object.fromEntries(copy);
}

/** A value of any kind, which may be right or wrong for its place. */
export function anything(chance: Chance): unknown {
  const kinds: (() => unknown)[] = [
    () => chance.pick(NAUGHTY),
    () => chance.pick(NAUGHTY),
    () => chance.pick([0, -1, 1.5, 1e308, -1e-300, 2 ** 31, 2 ** 53, -(2 ** 63), 5e-324]),
    () => chance.pick([null, true, false]),
    () => chance.pick([[], {}, [[]], [null], { a: 1 }, [''], { '': '' }]),
    () => Array.from({ length: chance.int(150) }, () => chance.pick([1, 'a', null])),
    () =>
      Array.from({ length: 1 + chance.int(22) }).reduce<unknown>(
        (inner) => (chance.int(2) ? [inner] : { a: inner }),
        1,
      ),
    () => ({ [chance.pick(NAUGHTY)]: chance.pick(NAUGHTY) }),
    () => ({ [chance.pick(INHERITED)]: chance.pick(INHERITED) }),
    () => chance.pick([...INHERITED, 'toJSON', 'then', 'length']),
  ];
  return chance.pick(kinds)();
}
