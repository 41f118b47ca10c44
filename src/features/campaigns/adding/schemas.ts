import { Type, type Static } from 'typebox';
import { FilePart } from '../../../platform/http/multipart.ts';
import { Country, define, nullable, recordId, ref, strict, described, plain } from '../../../platform/values/schema.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

/** The largest sheet of one request, and the most contacts in it. */
export const MAX_SHEET_BYTES = declareLimit(10 * 1024 * 1024, {
  topic: 'Campaigns',
  what: 'Adding contacts: sheet',
  unit: 'bytes',
  beyond: '413',
});
export const MAX_SHEET_CONTACTS = declareLimit(10_000, {
  topic: 'Campaigns',
  what: 'Adding contacts: contacts per sheet',
  beyond: '413',
});
const MAX_CONTACTS = declareLimit(1_000, {
  topic: 'Campaigns',
  what: 'Adding contacts: contacts per call as JSON',
  beyond: '400',
});
const MAX_PARAMETERS = declareLimit(50, {
  topic: 'Campaigns',
  what: 'Adding contacts: parameters per contact',
  beyond: '400',
});

const country = Type.Optional(
  Type.String({
    ...Country,
    description:
      'ISO 3166 alpha-2: the country of phone numbers that are written without + or 00. By default the ' +
      "company's. If neither is set, such a number in a sheet fails with INVALID_NUMBER",
  }),
);

const AddedContact = define(
  'CampaignContact',
  strict({
    contact: Type.Optional(recordId('contact', 'Either this or `phone`')),
    phone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        description: 'The phone number, with any punctuation. If no contact has it, one is created',
      }),
    ),
    name: Type.Optional(
      nullable(
        Type.String({
          maxLength: 200,
          description: 'The name of a contact that is created, and the value of the variable `name`',
        }),
      ),
    ),
    parameters: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Type.String({ maxLength: 1_000 }), {
        maxProperties: MAX_PARAMETERS,
        description: 'Values for `variable_ref`s of the templates, like the columns of a sheet',
      }),
    ),
  }),
);
export type AddedContact = Static<typeof AddedContact>;

export const ContactsToAdd = define(
  'CampaignContacts',
  strict({
    contacts: Type.Array(ref(AddedContact), {
      minItems: 1,
      maxItems: MAX_CONTACTS,
      description: 'The contacts to add, each by an id or by a phone number',
    }),
    country,
  }),
);
export type ContactsToAdd = Static<typeof ContactsToAdd>;

export const SheetToAdd = strict({ file: described(FilePart, 'The sheet: CSV or XLSX'), country });
export type SheetToAdd = Static<typeof SheetToAdd>;

const row = plain.integer('From 1, in the given order; in a sheet, 1 is the first row after the header');

export const AddedContacts = define(
  'CampaignContactsAdded',
  Type.Object({
    _id: recordId('campaign-addition', 'The id of the request in the audit log'),
    campaign: recordId('campaign'),
    total: plain.integer('The contacts given'),
    enrolled_count: plain.integer('Those that were enrolled'),
    error_count: plain.integer('Those that were not enrolled, for the reasons in errors'),
    enrollments: Type.Array(Type.Object({ row, contact: recordId('contact'), enrollment: recordId('enrollment') }), {
      description: 'The contacts that were enrolled, in the given order',
    }),
    errors: Type.Array(
      Type.Object({
        row,
        contact: plain.text('The given id or phone number'),
        code: plain.text(
          'INVALID_NUMBER, INVALID_NAME, INVALID_ROW, DUPLICATE (an earlier row is the same contact), ALREADY_ENROLLED, TOO_LARGE (the values of the row), CONTACT_REMOVED',
        ),
        message: plain.text('What happened, in a sentence for people'),
      }),
      { description: 'The problems, one entry for each' },
    ),
  }),
);
export type AddedContacts = Static<typeof AddedContacts>;
