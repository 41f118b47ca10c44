import { Type, type Static } from 'typebox';
import { define, Id, nullable, oneOf, ref, Timestamp } from '../../platform/schema.ts';

/** A custom field's value on a record. */
export const FieldValue = define(
  'FieldValue',
  Type.Object({
    _id: Id,
    slug: Type.String(),
    title: Type.String(),
    value: Type.Unsafe<string | number | boolean | string[] | null>({
      // The list first: the serialiser takes the first type that fits, and everything can be made a string.
      type: ['array', 'number', 'boolean', 'string', 'null'],
      items: { type: 'string' },
    }),
  }),
);

export const Contact = define(
  'Contact',
  Type.Object({
    _id: Id,
    company: Id,
    name: nullable(Type.String()),
    email: nullable(Type.String()),
    phone_number: nullable(Type.String({ description: 'E.164' })),
    country_code: nullable(Type.String({ description: 'ISO 3166 alpha-2, derived from the number' })),
    professional_network_identifier: nullable(Type.String()),
    external_id: nullable(Type.String()),
    avatar_url: nullable(Type.String()),
    language: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    business: nullable(Id),
    custom_fields: Type.Array(ref(FieldValue)),
    owner: nullable(Id),
    opted_out: Type.Boolean(),
    blocked: Type.Boolean(),
    source: oneOf(['API', 'INBOUND', 'IMPORT', 'CAMPAIGN', 'DASHBOARD', 'WIDGET']),
    last_inbound_at: nullable(Timestamp),
    last_message_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Contact = Static<typeof Contact>;

export const ContactParams = Type.Object({ id: Id });
