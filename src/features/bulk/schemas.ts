import { Type, type Static } from 'typebox';
import { ComponentBody, MAX_COMPONENTS, type GivenComponent } from '../../channels/templates/given.ts';
import { FilePart } from '../../platform/http/multipart.ts';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import {
  Country,
  define,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
  described,
  plain,
} from '../../platform/values/schema.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The largest sheet of a bulk call; an import takes larger ones. */
export const MAX_BULK_SHEET_BYTES = declareLimit(10 * 1024 * 1024, {
  topic: 'Campaigns',
  what: 'Bulk send: sheet',
  unit: 'bytes',
  beyond: '413',
});

// A contact without a readable number, or with a name that is too long, fails alone, so the form does not limit them.
const contact = strict({
  name: Type.Optional(nullable(plain.text("The contact's name, at most 200 characters"))),
  phone: Type.Optional(
    nullable(plain.text('The phone number, with any punctuation. A contact without one is reported as INVALID_NUMBER')),
  ),
});
export type GivenContact = Static<typeof contact>;

/** A part of the form that is one object or a list of such objects. */
const oneOrMany = <T>(item: { properties: object; required?: string[] | undefined }, words: string, most?: number) =>
  Type.Unsafe<T | T[]>({
    type: ['array', 'object'],
    description: words,
    items: item,
    ...(most === undefined ? {} : { maxItems: most }),
    properties: item.properties,
    required: item.required ?? [],
    additionalProperties: false,
  });

export const BulkForm = strict({
  inboxId: recordId('inbox', 'The inbox that sends'),
  templateName: Type.String({ minLength: 1, maxLength: 512, description: 'An approved template' }),
  languageCode: Type.String({ minLength: 1, maxLength: 20, description: 'A language of the template: pt_BR' }),
  components: Type.Optional(
    oneOrMany<GivenComponent>(
      ComponentBody,
      'JSON: one component or a list of them, with the values that the template needs. A parameter with ' +
        '`variable_ref` is filled from each contact, or from a column of the sheet',
      MAX_COMPONENTS,
    ),
  ),
  contacts: Type.Optional(
    oneOrMany<GivenContact>(contact, 'JSON: one contact {name, phone} or a list of them. Either contacts or file'),
  ),
  file: Type.Optional(described(FilePart, 'The sheet: CSV or XLSX')),
  country: Type.Optional(
    Type.String({
      ...Country,
      description:
        'ISO 3166 alpha-2: the country of phone numbers that are written without + or 00. By default the ' +
        "company's. If neither is set, such a number in a sheet fails with INVALID_NUMBER",
    }),
  ),
  send_to_active_conversations: Type.Optional(
    plain.flag(
      'true: contacts with an open conversation get the template in it. Otherwise they are reported as ACTIVE_CONVERSATION',
    ),
  ),
  agentToActivate: Type.Optional(
    recordId('agent', "The agent of the conversations; by default the inbox's default_agent"),
  ),
  keep_existing_assignment: Type.Optional(
    plain.flag(
      "true: an open conversation keeps its owner and agent unless the form sets them. Otherwise it gets the inbox's defaults",
    ),
  ),
  owner_user_id: Type.Optional(recordId('user', "By default the inbox's default_owner")),
  attendant_user_id: Type.Optional(recordId('user')),
  dryRun: Type.Optional(
    plain.flag('true: everything is checked, nothing is sent or stored; the response says what would happen'),
  ),
});
export type BulkForm = Static<typeof BulkForm>;

const STATUSES = ['RUNNING', 'INTERRUPTED', 'COMPLETED'] as const;

const summary = {
  _id: nullable(recordId('bulk-run', 'Null for a dry run')),
  company: recordId('company'),
  inbox: recordId('inbox'),
  template: plain.object('The template with its values', {
    name: plain.name,
    language: plain.text('The language, as a BCP 47 tag'),
  }),
  status: oneOf(
    STATUSES,
    'INTERRUPTED: its process ended before the last contact. Repeat the request with its Idempotency-Key to continue; a run without one cannot continue',
  ),
  total: plain.integer('Contacts given'),
  totalProcessed: plain.integer('Contacts processed: sent and failed ones'),
  sentCount: plain.integer('Contacts whose message the network has accepted'),
  errorCount: plain.integer('Contacts that were not sent to, and those whose outcome is unknown'),
  createdAt: nullable(Timestamp),
  updatedAt: nullable(Timestamp),
  completedAt: nullable(Timestamp),
};

export const BulkRun = define('BulkRun', Type.Object(summary));
export type BulkRun = Static<typeof BulkRun>;

const RowError = Type.Object({
  row: plain.integer('From 1, in the given order; in a sheet, 1 is the first row after the header'),
  contact: plain.text('The phone number'),
  error: plain.text('The code and a sentence: "DAILY_LIMIT: …"'),
  code: Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    description:
      "The network's number (131026), or a code of the platform: INVALID_NUMBER, DUPLICATE, " +
      'ACTIVE_CONVERSATION, NOT_DELIVERABLE, OPTED_OUT, BLOCKED, TEST_MODE_BLOCKED, MISSING_VARIABLE, ' +
      "INVALID_PARAMETER, DAILY_LIMIT, OUTCOME_UNKNOWN (the message's status reports it later) and others",
  }),
  message: nullable(recordId('message', 'The message, if one was stored')),
});

const Sent = Type.Object({
  conversationId: nullable(recordId('conversation', 'Null in a dry run for a new conversation')),
  phoneNumber: plain.text('The number as E.164'),
  row: plain.integer('From 1, in the given order'),
  message: nullable(recordId('message')),
  networkStatus: nullable(
    plain.text("The network's status for a message that it has accepted but not sent yet: held_for_quality_assessment"),
  ),
});

export const BulkResult = define(
  'BulkResult',
  Type.Object({
    ...summary,
    dryRun: plain.flag('Whether it was a dry run, which sends nothing'),
    errors: Type.Array(RowError, { description: 'The problems, one entry for each' }),
    sentContacts: Type.Array(Sent, { description: 'The contacts whose message the network has accepted' }),
  }),
);
export type BulkResult = Static<typeof BulkResult>;

export const BulkList = pageSchema(ref(BulkRun));
export const BulkQuery = pageQuery('-createdAt', { inbox: Type.Optional(recordId('inbox')) });
export type BulkQuery = Static<typeof BulkQuery>;
export const BulkParams = Type.Object({ id: recordId('bulk-run') });
