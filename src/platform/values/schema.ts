/**
 * Helpers for TypeBox schemas: named records that the OpenAPI document shows by reference, string enums, ids, timestamps, and text
 * patterns with an explanation.
 */
import { Type, type Static, type TSchema } from 'typebox';
import { getOwnProperty } from './own-property.ts';

const named = new Map<string, TSchema>();

/** Names a schema. Every named schema is registered with the server and appears once in the components of the OpenAPI document. */
export function define<T extends TSchema>($id: string, schema: T): T {
  if (named.has($id)) throw new Error(`schema ${$id} is defined twice`);
  const withId = Object.assign(schema, { $id });
  named.set($id, withId);
  return withId;
}

export function definedSchemas(): TSchema[] {
  return [...named.values()];
}

/** Returns whether a value of this schema can name a record: one of this kind, or of any kind. */
export function canNameRecord(schema: unknown, kind?: string): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { $ref, [RECORDS_KEYWORD]: kinds } = schema as Node;
  if ($ref) return canNameRecord(resolve($ref), kind);
  if (kinds && (kind === undefined || kinds.includes(kind))) return true;
  return Object.values(schema).some((inner) => canNameRecord(inner, kind));
}

/** Lists the texts of a value that can name a record of this kind. The value is valid by the schema. */
export function listNamedRecords(schema: unknown, value: unknown, kind: string): string[] {
  const { $ref, anyOf = [], items, properties = {}, [RECORDS_KEYWORD]: kinds = [] } = schema as Node;
  if ($ref) return listNamedRecords(resolve($ref), value, kind);
  const either = anyOf.flatMap((one) => listNamedRecords(one, value, kind));
  if (typeof value === 'string') return kinds.includes(kind) ? [value] : either;
  if (Array.isArray(value))
    return [...either, ...(items ? value.flatMap((one) => listNamedRecords(items, one, kind)) : [])];
  const inner = Object.entries(value ?? {}).flatMap(([name, held]) => {
    const property = getOwnProperty(properties, name);
    return property ? listNamedRecords(property, held, kind) : [];
  });
  return [...either, ...inner];
}

/** The parts of a schema in which records can be named. */
interface Node {
  $ref?: string;
  anyOf?: unknown[];
  items?: unknown;
  properties?: Record<string, unknown>;
  [RECORDS_KEYWORD]?: string[];
}

const resolve = (reference: string): unknown => named.get(reference.slice(0, -1));

/** Returns a reference to a named schema that keeps its static type. */
export function ref<T extends TSchema>(schema: T, description?: string) {
  const { $id } = schema as { $id?: string };
  if (!$id) throw new Error('ref() needs a schema made with define()');
  return Type.Unsafe<Static<T>>({ $ref: `${$id}#`, ...(description ? { description } : {}) });
}

/** `options` may be only the description. */
export function oneOf<const T extends readonly string[]>(values: T, options: string | Record<string, unknown> = {}) {
  const more = typeof options === 'string' ? { description: options } : options;
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...more });
}

export function nullable<T extends TSchema>(schema: T, description?: string) {
  const words = description ? { description } : {};
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown[] };
  if (typeof type === 'string' && !('$id' in schema)) {
    return Type.Unsafe<Static<T> | null>({
      ...schema,
      type: [type, 'null'],
      ...(values ? { enum: [...values, null] } : {}),
      ...words,
    });
  }
  return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }], ...words });
}

/** Returns the schema with another description. */
export const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });

const forms = new Map<string, string>();

/** Makes a pattern that a text must match. `words` is the error message for other texts: "must …". */
export function explainedPattern(pattern: string, words: string): { pattern: string } {
  if ((forms.get(pattern) ?? words) !== words) throw new Error(`the pattern ${pattern} has two explanations`);
  forms.set(pattern, words);
  return { pattern };
}

/** Returns the error message for a pattern; undefined when the pattern was not made with explainedPattern(). */
export const explainPattern = (pattern: string): string | undefined => forms.get(pattern);

export const NOT_BLANK = explainedPattern(String.raw`\S`, 'must contain more than spaces');
export const NO_BLANKS_AROUND = explainedPattern(String.raw`^\S([\s\S]*\S)?$`, 'must not start or end with a space');
export const WEB_ADDRESS = explainedPattern('^https?://', 'must start with https:// or http://');
/** An address of the web, whose format is checked by parseWebAddress() as well. */
export const webAddress = (description: string) =>
  Type.String({ format: 'uri', ...WEB_ADDRESS, maxLength: 2_048, description });
export const SLUG = explainedPattern(
  '^[a-z][a-z0-9_]*$',
  'must start with a letter from a to z and contain only such letters, digits and underscores',
);

const NAME_WORDS = 'The name shown to people';
/** The name of a record: not empty, and not only spaces. */
export const Name = Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK, description: NAME_WORDS });

/** Schemas of properties that have only a type and a description, as in answers. */
export const plain = {
  text: (description: string) => Type.String({ description }),
  integer: (description: string) => Type.Integer({ description }),
  flag: (description: string) => Type.Boolean({ description }),
  object: <P extends Record<string, TSchema>>(description: string, properties: P) =>
    Type.Object(properties, { description }),
  /** An object inside of a body. */
  strict: <P extends Record<string, TSchema>>(description: string, properties: P) =>
    strict(properties, { description }),
  name: Type.String({ description: NAME_WORDS }),
};

/** An ISO 3166 alpha-2 code. Whether such a country exists is checked by the operations. */
export const Country = Type.String({
  ...explainedPattern('^[A-Z]{2}$', 'must be a country in two capital letters, such as BR'),
  description: 'ISO 3166 alpha-2: BR',
});

const PHONE_WRITING =
  'With any punctuation. A number without + or 00 is read as a national number of `country`, or else of the country in ' +
  "the company's general_config, if it is valid there; otherwise it must begin with its country code";

/** A phone number as callers write it. The property `country` next to it applies to a number without a country code. */
export const writtenPhone = (more = '') =>
  Type.String({ minLength: 1, maxLength: 40, description: PHONE_WRITING + more });
export const PhoneCountry = Type.String({
  ...Country,
  description:
    "ISO 3166 alpha-2: the country of a phone number that is written without + or 00; by default the company's. It is not stored",
});

export const ID_PATTERN = '^[0-9a-f]{24}$';
const ID_WORDS = 'Identifier: 24 lower-case hex characters';
/** The schema of an id: 24 lower-case hex characters. In requests and answers of the API it is a recordId(). */
export const Id = Type.String({
  ...explainedPattern(ID_PATTERN, 'must be an id: 24 characters from 0 to 9 and a to f'),
  description: ID_WORDS,
});

/**
 * The keyword with which a schema states which kinds of records its texts can name, by their id or otherwise; `*` is any kind. It is an
 * annotation for clients, tools and tests, and validates nothing.
 */
export const RECORDS_KEYWORD = 'x-records';
export const namesRecord = (...kinds: string[]) => ({ [RECORDS_KEYWORD]: kinds });

/** The schema of an id that names a record of this kind, or of one of these kinds. */
export const recordId = (kinds: string | readonly string[], description = ID_WORDS) =>
  Type.String({ ...Id, ...namesRecord(...[kinds].flat()), description });

/**
 * An ISO 8601 time. Answers use UTC with milliseconds; callers may use another offset of at most 14:59. Years and seconds are limited to
 * values that JavaScript and PostgreSQL read as the same moment.
 */
export const Timestamp = Type.String({
  format: 'date-time',
  ...explainedPattern(
    String.raw`^(?!0000|9999(?!.*Z$))\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$`,
    'must be a time such as 2026-01-31T12:00:00.000Z',
  ),
  description: 'ISO 8601 UTC with milliseconds',
});

/** Makes a schema of an object that refuses unknown properties. */
export function strict<P extends Record<string, TSchema>>(properties: P, options: Record<string, unknown> = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}
