import { Type, type Static } from 'typebox';
import { pageSchema, pageQuery, searchParameter } from '../../platform/store/paging.ts';
import {
  define,
  Name,
  namesRecord,
  nullable,
  oneOf,
  recordId,
  ref,
  SLUG,
  strict,
  Timestamp,
  described,
  plain,
} from '../../platform/values/schema.ts';
import { MAX_SLUG } from '../../platform/values/words.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export const FIELD_CONTEXTS = ['contact', 'conversation', 'business'] as const;
export type FieldContext = (typeof FIELD_CONTEXTS)[number];

/** The custom fields of each context are a kind of record of their own: a contact's field cannot be used on a conversation. */
const FIELD_KINDS = FIELD_CONTEXTS.map((context) => `${context}-field`);

export const FIELD_TYPES = ['TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'SELECT', 'LIST'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export type Value = string | number | boolean | string[];

/** The values of a record by field id, without empty ones. */
export type HeldValues = Record<string, Value>;

/** A typed value in requests and answers; null clears it. */
export const AnyValue = Type.Unsafe<Value | null>({
  // The array comes first, because the serialiser takes the first type that fits, and it can turn any value into a string.
  type: ['array', 'number', 'boolean', 'string', 'null'],
  items: { type: 'string' },
  description: 'The value, in the type of its field',
});

/** A custom field's value on a record. */
export const FieldValue = define(
  'FieldValue',
  Type.Object({
    _id: recordId(FIELD_KINDS),
    slug: plain.text('The API name; it never changes'),
    title: plain.text('The label that people see'),
    value: AnyValue,
  }),
);

/** The data of the event FIELD_UPDATED. */
export const FieldUpdated = define(
  'FieldUpdated',
  plain.object('The value of a custom field has changed', {
    field: plain.object('The field', {
      _id: recordId(FIELD_KINDS, "The field's id"),
      slug: plain.text('The API name'),
      title: plain.text('The label that people see'),
      context: oneOf(FIELD_CONTEXTS, 'The kind of record that has the field'),
    }),
    value: Type.Unsafe<Value | null>({
      ...AnyValue,
      description: 'The current value, in the type of its field; null if it was cleared',
    }),
    contactId: nullable(
      recordId('contact', 'The contact that has the field, or through whom a business changed; null if there is none'),
    ),
    companyId: recordId('company', 'The company'),
    conversationId: Type.Optional(recordId('conversation', 'Only if it happened inside a conversation')),
  }),
);
export type FieldUpdated = Static<typeof FieldUpdated>;

/** The largest number of fields of a context. A record is always sent with all of its values, so their number is limited. */
export const MAX_FIELDS = declareLimit(200, {
  topic: 'Records',
  what: 'Custom fields per kind of record',
  beyond: '400',
});

/** The values that a caller writes on a record, by slug or id of their field; fields that are not named stay as they are. */
export const fieldValuesSchema = (context: FieldContext) =>
  Type.Unsafe<Record<string, Value | null>>({
    type: 'object',
    propertyNames: namesRecord(`${context}-field`),
    additionalProperties: AnyValue,
    maxProperties: MAX_FIELDS,
    description: 'Values by the slug or id of their field; null clears a value',
  });

const slug = Type.String({
  minLength: 1,
  maxLength: MAX_SLUG,
  ...SLUG,
  description: 'The API name; it never changes',
});
/** The label of a custom field or of a column of a table, and the values of one with a choice. */
export const title = described(Name, 'The label that people see');
export const options = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  maxItems: 200,
  uniqueItems: true,
  description: 'The values that can be chosen',
});
const description = nullable(Type.String({ maxLength: 2_000, description: 'What the field is for, shown to people' }));

export const CustomFieldCreate = define(
  'CustomFieldCreate',
  strict({
    title,
    context: oneOf(FIELD_CONTEXTS, 'The kind of record that has the field'),
    type: oneOf(FIELD_TYPES, 'The type of its values'),
    slug: Type.Optional(slug),
    options: Type.Optional(options),
    description: Type.Optional(description),
  }),
);
export type CustomFieldCreate = Static<typeof CustomFieldCreate>;

export const CustomFieldUpdate = define(
  'CustomFieldUpdate',
  Type.Partial(strict({ title, options, description }), { additionalProperties: false }),
);
export type CustomFieldUpdate = Static<typeof CustomFieldUpdate>;

export const CustomField = define(
  'CustomField',
  Type.Object({
    _id: recordId(FIELD_KINDS),
    company: recordId('company'),
    slug: plain.text('The API name; it never changes'),
    title: plain.text('The label that people see'),
    context: oneOf(FIELD_CONTEXTS, 'The kind of record that has the field'),
    type: oneOf(FIELD_TYPES, 'The type of its values'),
    options: Type.Array(Type.String(), {
      description: 'The values that a SELECT accepts, or the items of a LIST that is limited to them',
    }),
    description: nullable(plain.text('What the field is for, shown to people')),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type CustomField = Static<typeof CustomField>;

export const CustomFieldParams = Type.Object({ id: recordId(FIELD_KINDS) });
export const CustomFieldList = pageSchema(ref(CustomField));
export const CustomFieldQuery = pageQuery('-createdAt', {
  context: Type.Optional(oneOf(FIELD_CONTEXTS, 'The kind of record that has the field')),
  search: searchParameter('Part of the title or slug'),
});
export type CustomFieldQuery = Static<typeof CustomFieldQuery>;
