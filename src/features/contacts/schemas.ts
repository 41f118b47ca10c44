import { Type, type Static } from 'typebox';
import { define, Id, nullable, oneOf, ref, strict, Timestamp, Name } from '../../platform/schema.ts';
import { FieldValue, FieldValues } from '../custom-fields/schemas.ts';
import { Email } from '../users/schemas.ts';

const SOURCES = ['API', 'INBOUND', 'IMPORT', 'CAMPAIGN', 'DASHBOARD', 'WIDGET'] as const;
export type ContactSource = (typeof SOURCES)[number];

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
    source: oneOf(SOURCES),
    last_inbound_at: nullable(Timestamp),
    last_message_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Contact = Static<typeof Contact>;

export const ContactParams = Type.Object({ id: Id });

// What a unique index takes in one entry, with room to spare.
const identifier = nullable(Type.String({ minLength: 1, maxLength: 255, pattern: String.raw`\S` }));

/** Taken as they are: a tag with blanks around it would be another tag to whoever compares. */
const tag = Type.String({ minLength: 1, maxLength: 100, pattern: String.raw`^\S([\s\S]*\S)?$` });

export const MAX_TAGS = 50;

const writable = {
  name: nullable(Name),
  email: nullable(Email),
  phone_number: nullable(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'In any writing with its country code, or as it is dialled inside Brazil; stored as E.164',
    }),
  ),
  professional_network_identifier: identifier,
  external_id: identifier,
  avatar_url: nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2_048 })),
  language: nullable(
    Type.String({ pattern: '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$', maxLength: 35, description: 'BCP 47: pt-BR' }),
  ),
  tags: Type.Array(tag, { maxItems: MAX_TAGS, uniqueItems: true, description: 'Replaces all that are there' }),
  business: nullable(Id),
  custom_fields: FieldValues,
  owner: nullable(Id),
  opted_out: Type.Boolean({ description: 'Does not want messages: sends end FAILED with OPTED_OUT' }),
  blocked: Type.Boolean({
    description: 'Is not wanted: sends end FAILED with BLOCKED, and no agent answers what comes in, which is stored',
  }),
};

export const ContactCreate = define('ContactCreate', Type.Partial(strict(writable), { additionalProperties: false }));
export type ContactCreate = Static<typeof ContactCreate>;

export const ContactUpdate = define('ContactUpdate', Type.Partial(strict(writable), { additionalProperties: false }));
export type ContactUpdate = Static<typeof ContactUpdate>;
