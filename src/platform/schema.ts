/**
 * The few helpers that turn TypeBox objects into what this project writes on the wire: named records that OpenAPI shows by reference,
 * string enums as one `enum`, ids and timestamps, forms of texts with their words.
 */
import { Type, type Static, type TSchema } from 'typebox';

const named = new Map<string, TSchema>();

/** Names a schema. Every named schema is registered with the server and stands once in the OpenAPI components. */
export function define<T extends TSchema>($id: string, schema: T): T {
  if (named.has($id)) throw new Error(`schema ${$id} is defined twice`);
  const withId = Object.assign(schema, { $id });
  named.set($id, withId);
  return withId;
}

export function definedSchemas(): TSchema[] {
  return [...named.values()];
}

/** A reference to a named schema that keeps its static type. */
export function ref<T extends TSchema>(schema: T) {
  const { $id } = schema as { $id?: string };
  if (!$id) throw new Error('ref() needs a schema made with define()');
  return Type.Unsafe<Static<T>>({ $ref: `${$id}#` });
}

export function oneOf<const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown[] };
  if (typeof type === 'string' && !('$id' in schema)) {
    return Type.Unsafe<Static<T> | null>({
      ...schema,
      type: [type, 'null'],
      ...(values ? { enum: [...values, null] } : {}),
    });
  }
  return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
}

const forms = new Map<string, string>();

/** The form that a text must have. `words` tell it to whoever sent another: "must …". */
export function explainedPattern(pattern: string, words: string): { pattern: string } {
  if ((forms.get(pattern) ?? words) !== words) throw new Error(`the pattern ${pattern} has two explanations`);
  forms.set(pattern, words);
  return { pattern };
}

/** Undefined for a pattern that explainedPattern() does not know. */
export const explainPattern = (pattern: string): string | undefined => forms.get(pattern);

export const NOT_BLANK = explainedPattern(String.raw`\S`, 'must hold more than spaces');
export const NO_BLANKS_AROUND = explainedPattern(String.raw`^\S([\s\S]*\S)?$`, 'must not begin or end with a space');
export const WEB_ADDRESS = explainedPattern('^https?://', 'must begin with https:// or http://');
export const SLUG = explainedPattern(
  '^[a-z][a-z0-9_]*$',
  'must begin with a letter from a to z and go on with such letters, digits and underscores',
);

/** What people call a record: not empty, not only spaces. */
export const Name = Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK });

/** ISO 3166 alpha-2; whether there is such a country is checked where it is used. */
export const Country = Type.String({
  ...explainedPattern('^[A-Z]{2}$', 'must be a country in two capital letters, such as BR'),
  description: 'ISO 3166 alpha-2: BR',
});

const PHONE_WRITING =
  `In any punctuation, with its country code (+ may be left out). Without one it is read as dialled in \`country\`, or else in the
  country of the company's general_config, unless it is a valid number with a country code, too (AMBIGUOUS_PHONE)`.replaceAll(
    /\s+/g,
    ' ',
  );

/** A phone number as callers write it: `country` beside it says where one without a country code is dialled. */
export const writtenPhone = (more = '') =>
  Type.String({ minLength: 1, maxLength: 40, description: PHONE_WRITING + more });
export const PhoneCountry = Type.String({
  ...Country,
  description: 'ISO 3166 alpha-2: where a phone_number without country code is dialled. It is not stored',
});

export const ID_PATTERN = '^[0-9a-f]{24}$';
/** 24 lower-case hex characters. */
export const Id = Type.String({
  ...explainedPattern(ID_PATTERN, 'must be an id: 24 characters from 0 to 9 and a to f'),
  description: 'Identifier: 24 lower-case hex characters',
});

/**
 * ISO 8601 UTC with milliseconds. Given, it may have another offset of at most 14:59; years and seconds are such that JavaScript and
 * PostgreSQL read the same moment.
 */
export const Timestamp = Type.String({
  format: 'date-time',
  ...explainedPattern(
    String.raw`^(?!0000|9999(?!.*Z$))\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$`,
    'must be a time such as 2026-01-31T12:00:00.000Z',
  ),
  description: 'ISO 8601 UTC with milliseconds',
});

/** An object in which an unknown property is refused. */
export function strict<P extends Record<string, TSchema>>(properties: P, options: Record<string, unknown> = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}
