import { Type, type Static } from 'typebox';
import { EMAIL_ADDRESS, EXTERNAL_ID, NETWORK_ID, PHONE_NUMBER } from '../../channels/identity.ts';
import { describeFilters, filtersParameter } from '../../platform/store/filters/parameter.ts';
import { MAX_FILTERS, OPERATORS } from '../../platform/store/filters/items.ts';
import { SORTS } from '../../platform/store/orders.ts';
import { pageSchema, pageQuery, searchParameter } from '../../platform/store/paging.ts';
import {
  Country,
  ID_PATTERN,
  NOT_BLANK,
  NO_BLANKS_AROUND,
  Name,
  PhoneCountry,
  Timestamp,
  webAddress,
  define,
  explainedPattern,
  namesRecord,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  writtenPhone,
  described,
  plain,
} from '../../platform/values/schema.ts';
import { FieldValue, fieldValuesSchema } from '../custom-fields/schemas.ts';
import { sheetForm } from '../imports/schemas.ts';
import { Email } from '../users/schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export const SOURCES = ['API', 'INBOUND', 'IMPORT', 'CAMPAIGN', 'DASHBOARD', 'WIDGET'] as const;
export type ContactSource = (typeof SOURCES)[number];

export const ContactSummary = define(
  'ContactSummary',
  Type.Object({
    name: nullable(plain.name),
    phone_number: nullable(plain.text('E.164')),
    email: nullable(plain.text('The e-mail address; not case-sensitive')),
  }),
);

export const Contact = define(
  'Contact',
  Type.Object({
    _id: recordId('contact'),
    company: recordId('company'),
    name: nullable(plain.name),
    email: nullable(plain.text('The e-mail address; not case-sensitive')),
    phone_number: nullable(plain.text('E.164')),
    country_code: nullable(plain.text('ISO 3166 alpha-2, derived from the number')),
    professional_network_identifier: nullable(plain.text("The contact's name on the professional network")),
    external_id: nullable(plain.text("The contact's id in another system")),
    username: nullable(plain.text('The WhatsApp username, in small letters and without @; set by the network')),
    avatar_url: nullable(plain.text('The address of a picture')),
    language: nullable(plain.text('The language, as a BCP 47 tag')),
    tags: Type.Array(Type.String(), { description: 'Words for grouping records' }),
    business: nullable(recordId('business')),
    custom_fields: Type.Array(ref(FieldValue), {
      description: 'The values of custom fields that are not empty',
    }),
    owner: nullable(recordId('user')),
    opted_out: plain.flag('Whether the contact has opted out of messages'),
    blocked: plain.flag('Whether the company has blocked the contact and sends it nothing'),
    source: oneOf(SOURCES, 'How the contact was created'),
    last_inbound_at: nullable(Timestamp),
    last_message_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Contact = Static<typeof Contact>;

/** The fields that identify a contact, with the kinds of their identities. No record shows an identity of another kind. */
export const IDENTITY_FIELDS = {
  phone_number: PHONE_NUMBER,
  email: EMAIL_ADDRESS,
  professional_network_identifier: NETWORK_ID,
  external_id: EXTERNAL_ID,
} as const;
export type IdentityField = keyof typeof IDENTITY_FIELDS;
export const IDENTITY_FIELD_NAMES = Object.keys(IDENTITY_FIELDS) as IdentityField[];

export const ContactParams = Type.Object({ id: recordId('contact') });

// An identifier has to fit into an entry of a unique index.
const identifier = nullable(Type.String({ minLength: 1, maxLength: 255, ...NOT_BLANK }));

/** Tags are stored exactly as given, so blanks around one are refused: they would make a second tag that looks the same. */
export const tag = Type.String({ minLength: 1, maxLength: 100, ...NO_BLANKS_AROUND });

export const MAX_TAGS = declareLimit(50, { topic: 'Contacts', what: 'Tags per contact', beyond: '400' });

/** A language that people speak, whether the platform has texts in it or not. */
export const LanguageTag = Type.String({
  ...explainedPattern('^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$', 'must be a language, such as pt-BR'),
  maxLength: 35,
  description: 'BCP 47: pt-BR',
});

const writableProperties = {
  name: nullable(Name),
  email: nullable(Email),
  phone_number: nullable(writtenPhone('. Stored as E.164')),
  country: PhoneCountry,
  professional_network_identifier: described(identifier, "The contact's name on the professional network"),
  external_id: described(identifier, "The contact's id in another system"),
  avatar_url: nullable(webAddress('The address of a picture')),
  language: nullable(LanguageTag),
  tags: Type.Array(tag, { maxItems: MAX_TAGS, uniqueItems: true, description: 'Replaces all tags of the contact' }),
  business: nullable(recordId('business')),
  custom_fields: fieldValuesSchema('contact'),
  owner: nullable(recordId('user')),
  opted_out: plain.flag('The contact has opted out: sends end FAILED with OPTED_OUT'),
  blocked: plain.flag(
    'The company has blocked the contact: sends end FAILED with BLOCKED; incoming messages are stored, but do not count as unread or waiting and notify no one, and no agent, rule or team acts on them',
  ),
};

export const ContactCreate = define(
  'ContactCreate',
  Type.Partial(strict(writableProperties), { additionalProperties: false }),
);
export type ContactCreate = Static<typeof ContactCreate>;

/** The fields of a row of a sheet. The country is given once for the whole sheet. */
const { country: _country, ...columns } = ContactCreate.properties;
export const ContactRow = Type.Object({ ...columns, _id: Type.Optional(recordId('contact')) });

export const ContactUpdate = define(
  'ContactUpdate',
  Type.Partial(strict(writableProperties), { additionalProperties: false }),
);
export type ContactUpdate = Static<typeof ContactUpdate>;

const SEARCH =
  'The id, part of the name, e-mail or WhatsApp username (ignoring case and accents), or part of the phone number (ignoring punctuation)';

const FILTERS = `A contact must match all of them. ${describeFilters(
  'contact.name, contact.email, contact.phone_number, contact.country_code, contact.professional_network_identifier, ' +
    'contact.external_id, contact.username, contact.tags, contact.owner (the id of a user), contact.business (the id of a business), ' +
    'contact.opted_out, contact.blocked, contact.source, or the id or slug of a custom field of contacts',
)}`;

/** The same filters in a body. Their values are checked as those of the list. */
export const FilterList = Type.Array(
  strict({
    field: Type.String({
      ...explainedPattern(
        `${ID_PATTERN}|^(contact\\.)?[a-z][a-z0-9_]*$`,
        'must be a field, such as contact.name, or the id or slug of a custom field',
      ),
      maxLength: 100,
      ...namesRecord('contact-field'),
      description:
        'The field, as in the filters of GET /v1/contacts: contact.name, or the id or slug of a custom field',
    }),
    operator: oneOf(OPERATORS, 'How the field is compared with the value'),
    value: Type.Optional(
      Type.Unsafe<string | number | boolean>({
        type: ['boolean', 'number', 'string'],
        maxLength: 1_000,
        description: 'The value, in the type of its field',
      }),
    ),
  }),
  { maxItems: MAX_FILTERS, description: 'Like `filters` of GET /v1/contacts; a contact must match all of them' },
);

export const ContactList = pageSchema(ref(Contact));
/** The parameters that the list and the export share. */
const MATCH_QUERY = {
  search: searchParameter(SEARCH, 'contact'),
  filters: filtersParameter(
    FILTERS,
    [
      { field: 'contact.tags', operator: 'eq', value: 'vip' },
      { field: 'order_total', operator: 'gte', value: 100 },
    ],
    'contact-field',
  ),
};
/** The filters that are kept with a segment, and that select the contacts of a bulk change. */
export const ContactFilters = define('ContactFilters', strict({ ...MATCH_QUERY, search: searchParameter(SEARCH) }));
export type ContactFilters = Static<typeof ContactFilters>;
export const CONTACT_SORTS = [...SORTS, '-last_message_at'] as const;
export const MAX_IDS = declareLimit(100, { topic: 'Contacts', what: 'Contacts in the filter `ids`', beyond: '400' });
const LIST_QUERY = {
  ...MATCH_QUERY,
  business: Type.Optional(recordId('business', 'Contacts of this business')),
  ids: Type.Optional(
    Type.String({
      ...explainedPattern(
        `^[0-9a-f]{24}(,[0-9a-f]{24}){0,${MAX_IDS - 1}}$`,
        `must be ids separated by commas, at most ${MAX_IDS}`,
      ),
      description: `Contacts with these ids, separated by commas, at most ${MAX_IDS}. Unknown ids are ignored`,
    }),
  ),
};
export const ContactQuery = pageQuery('-createdAt', LIST_QUERY, CONTACT_SORTS);
export type ContactQuery = Static<typeof ContactQuery>;
export const ContactExportQuery = strict({ ...MATCH_QUERY, ids: LIST_QUERY.ids });
export type ContactExportQuery = Static<typeof ContactExportQuery>;
export const ContactImportParams = Type.Object({ importId: recordId('contact-import') });
export const ContactImportForm = strict({
  ...sheetForm('contact-field'),
  country: Type.Optional(
    Type.String({
      ...Country,
      description:
        'ISO 3166 alpha-2: the country of phone numbers that are written without + or 00. By default the ' +
        "company's; if neither is set, such a number is an error of its row",
    }),
  ),
  tag: Type.Optional(described(tag, 'A tag to add to each contact of the sheet, unless it already has 50')),
  silent: Type.Optional(plain.flag('true: no events are emitted for these contacts')),
  update_existing: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'false: rows about existing contacts are reported as errors. Otherwise the import also needs the scope contacts:update',
    }),
  ),
});
export type ContactImportForm = Static<typeof ContactImportForm>;

const MAX_UPSERTS = declareLimit(500, { topic: 'Contacts', what: 'Contacts per bulk write', beyond: '400' });
// What a text has to be like is checked item by item, so that one wrong e-mail does not refuse the other contacts.
const checkedText = (description: string) => Type.String({ maxLength: 2_048, description });
const sameAs = (field: string): string => `Like \`${field}\` of POST /v1/contacts`;

export const ContactUpsertItem = define(
  'ContactUpsertItem',
  Type.Partial(
    strict({
      external_id: checkedText(sameAs('external_id')),
      phone_number: checkedText(sameAs('phone_number')),
      country: PhoneCountry,
      email: checkedText(sameAs('email')),
      professional_network_identifier: checkedText(sameAs('professional_network_identifier')),
      name: nullable(checkedText(sameAs('name'))),
      avatar_url: nullable(checkedText(sameAs('avatar_url'))),
      language: nullable(checkedText(sameAs('language'))),
      tags: Type.Array(checkedText('A tag'), { maxItems: MAX_TAGS, description: 'Replaces all tags of the contact' }),
      business: nullable(recordId('business')),
      owner: nullable(recordId('user')),
      custom_fields: fieldValuesSchema('contact'),
      opted_out: writableProperties.opted_out,
      blocked: writableProperties.blocked,
    }),
    { additionalProperties: false },
  ),
);
export type ContactUpsertItem = Static<typeof ContactUpsertItem>;

const { country: sheetCountry, silent, update_existing } = ContactImportForm.properties;
export const ContactUpsert = define(
  'ContactUpsert',
  strict({
    contacts: Type.Array(ref(ContactUpsertItem), {
      minItems: 1,
      maxItems: MAX_UPSERTS,
      description: 'Each needs an external id, phone number, e-mail or professional network identifier',
    }),
    country: sheetCountry,
    silent,
    update_existing,
  }),
);
export type ContactUpsert = Static<typeof ContactUpsert>;

export const ContactUpsertResult = define(
  'ContactUpsertResult',
  Type.Object({
    _id: recordId('contact-upsert', 'The id of this call in the audit log'),
    created: plain.integer('Items that created a contact'),
    updated: plain.integer('Items whose contact was changed by this call'),
    unchanged: plain.integer('Items whose contact already had these values'),
    failed: plain.integer('Items that were not stored'),
    items: Type.Array(
      Type.Object({
        index: plain.integer('The index of the item in `contacts`, from 0'),
        status: oneOf(['CREATED', 'UPDATED', 'UNCHANGED', 'FAILED'], 'The result for the item'),
        contact: nullable(recordId('contact')),
        errors: Type.Array(
          Type.Object({
            field: nullable(plain.text('The field; null for the entire item')),
            message: plain.text('What happened, in a sentence for people'),
          }),
          { description: 'The problems, one entry for each' },
        ),
      }),
      { description: 'A result for each item of the call, in order' },
    ),
  }),
);
export type ContactUpsertResult = Static<typeof ContactUpsertResult>;
