/** Generates values that fit a schema, and finds the places at which they can be broken. */
import { ID_PATTERN, RECORDS_KEYWORD } from '../../../src/platform/values/schema.ts';
import type { Chance } from '../harness/chance.ts';
import type { Schema } from './document.ts';
import { INHERITED, NAUGHTY } from './strings.ts';
import { findMisfits } from './validate.ts';

/**
 * Suggests a value for a field, by the field's name or by the kinds of records that its id can name; null when it has no suggestion. In a
 * map `data`, the name `data.*` stands for a key; the name of a value is its key, or `data{}` when nothing is suggested for the key.
 */
export type SuggestValue = (field: string, chance: Chance, kinds?: string[]) => unknown;

/** Generates a value that fits. Each optional property is present half of the time. */
export function generateValue(schema: Schema, chance: Chance, hint: SuggestValue, field = ''): unknown {
  if (schema.anyOf) return generateValue(chance.pick(schema.anyOf), chance, hint, field);
  if (schema.enum) return chance.pick(schema.enum);
  const types = [schema.type ?? 'string'].flat();
  const type = types.length > 1 && chance.int(4) > 0 ? types[0] : chance.pick(types);
  if (type === 'object') return hintedRecord(chance, hint, field) ?? generateRecord(schema, chance, hint, field);
  if (type === 'array') return generateList(schema, chance, hint, field);
  if (type === 'integer' || type === 'number') return generateNumber(schema, chance);
  if (type === 'boolean') return chance.int(2) === 0;
  return type === 'null' ? null : generateText(schema, chance, hint, field);
}

/** A whole object that the scene suggests for this field, whose parts only make sense together; null without one. */
function hintedRecord(chance: Chance, hint: SuggestValue, field: string): object | null {
  const hinted = hint(field, chance);
  return typeof hinted === 'object' ? hinted : null;
}

function generateRecord(schema: Schema, chance: Chance, hint: SuggestValue, field: string): Record<string, unknown> {
  const entries = Object.entries(schema.properties ?? {})
    .filter(([key]) => schema.required?.includes(key) || chance.int(2) === 0)
    .map(([key, inner]) => [key, generateValue(inner, chance, hint, key)]);
  const { additionalProperties: others = false } = schema;
  const inner: Schema = typeof others === 'object' ? others : FREE;
  const extra = others === false ? 0 : chance.int(4);
  for (let index = 0; index < extra; index += 1) {
    const hinted =
      hint(`${field}.*`, chance, schema.propertyNames?.[RECORDS_KEYWORD]) ??
      (inner === FREE ? chance.pick(INHERITED) : null);
    const key = typeof hinted === 'string' ? hinted : `x-extra-${index}`;
    entries.push([key, hint(key, chance) ?? hint(`${field}{}`, chance) ?? generateValue(inner, chance, hint)]);
  }
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** The schema of a value in an object that accepts any value. */
const FREE: Schema = { type: ['string', 'number', 'boolean', 'null'] };

function generateList(schema: Schema, chance: Chance, hint: SuggestValue, field: string): unknown[] {
  const { minItems = 0, maxItems = 4, items = {} } = schema;
  const count = minItems + chance.int(Math.min(maxItems, minItems + 3) - minItems + 1);
  const list = Array.from({ length: count }, () => generateValue(items, chance, hint, field));
  return schema.uniqueItems ? [...new Set(list)] : list;
}

function generateNumber(schema: Schema, chance: Chance): number {
  const { minimum = -1_000_000, maximum = 1_000_000 } = schema;
  // Limits are more likely to reveal errors, so they are chosen often.
  return chance.pick([minimum, maximum, minimum + chance.int(Math.min(maximum - minimum, 50) + 1)]);
}

/** Returns the kinds of records that an id can name; none for a text that is no id. A pattern may allow other words beside ids. */
export const listIdKinds = (schema: Schema): string[] =>
  (schema.pattern?.split('|')[0] === ID_PATTERN ? schema[RECORDS_KEYWORD] : undefined) ?? [];

const PLAIN = [
  'Ol\u00e1',
  'Ana Souza',
  '5511988887777',
  '+55 11 3333-4444',
  'token-1',
  '100000000000009',
  'a',
  '7',
  '09:00',
  // A priority of a conversation.
  'HIGH',
  // The keys of a browser with push.
  'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  'BTBZMqHH6r4Tts7J_aSIgg',
];
// The number of tries to generate a text for a pattern. A pattern that no generated text matches is tested by the broken requests alone.
const TRIES = 40;

function generateText(schema: Schema, chance: Chance, hint: SuggestValue, field: string): string {
  const hinted = hint(field, chance, listIdKinds(schema));
  // Fields with the same name may take different texts.
  if (typeof hinted === 'string' && findMisfits(schema, hinted).length === 0) return hinted;
  for (let tried = 0; tried < TRIES; tried += 1) {
    const text = chance.int(3) === 0 ? chance.pick(PLAIN) : chance.pick(NAUGHTY);
    if (isStorableText(text) && findMisfits(schema, text).length === 0) return text;
  }
  return PLAIN.find((text) => findMisfits(schema, text).length === 0) ?? 'Ana';
}

/** Returns false for texts that every operation refuses, whatever the schema. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

export interface ValuePlace {
  /** The keys and list indexes that lead from the root of the value to the place. */
  keys: (string | number)[];
  /** The place as an error answer names it: `message.content`, `events[0]`. */
  path: string;
}

/** Lists every place inside a value. */
export function findPlaces(value: unknown, keys: (string | number)[] = []): ValuePlace[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, inner]) => {
    const here = [...keys, key];
    return [{ keys: here, path: formatPath(here) }, ...findPlaces(inner, here)];
  });
}

export const formatPath = (keys: (string | number)[]): string =>
  keys.map((key, index) => (typeof key === 'number' ? `[${key}]` : (index ? '.' : '') + key)).join('');

/** Returns a copy of `value` in which the place has another value; `undefined` removes the place. */
export function replaceAt(value: unknown, [key, ...rest]: (string | number)[], replacement: unknown): unknown {
  if (key === undefined) return replacement;
  const inner = replaceAt((value as Record<string | number, unknown>)[key], rest, replacement);
  if (Array.isArray(value))
    return value.flatMap((item, index) => (index === key ? (inner === undefined ? [] : [inner]) : [item]));
  const copy = new Map<string, unknown>(Object.entries(value as object));
  if (inner === undefined) copy.delete(String(key));
  else copy.set(String(key), inner);
  // Object.fromEntries defines properties, so a key named __proto__ stays a key.
  return Object.fromEntries(copy);
}

/** Returns a value of any type, which may be right or wrong for its place. */
export function generateAnything(chance: Chance): unknown {
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
