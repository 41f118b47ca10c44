import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { CSV_ANSWER } from '../../platform/http/download.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { declareTag } from '../../platform/http/description.ts';
import type { Need } from '../../platform/http/needs.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { Import, ImportList, ImportQuery, MAX_SHEET_BYTES } from '../imports/schemas.ts';
import { createContact, readContact, updateContactById } from './contacts.ts';
import { removeContact } from './erase.ts';
import { exportContacts } from './export.ts';
import { importContacts, pageContactImports, readContactImport, sendContactErrors } from './import/import.ts';
import { previewPhones } from './import/numbers.ts';
import { PhonePreview, PhonesToPreview } from './import/schemas.ts';
import { pageContacts } from './list/list.ts';
import {
  Contact,
  ContactCreate,
  ContactExportQuery,
  ContactImportForm,
  ContactImportParams,
  ContactList,
  ContactParams,
  ContactQuery,
  ContactUpdate,
  ContactUpsert,
  ContactUpsertResult,
} from './schemas.ts';
import { findUpserted, upsertContacts } from './upsert.ts';

export function contactRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('contacts', 'The people a company talks to');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/contacts',
    scope: 'contacts:create',
    summary: 'Create a contact',
    description:
      'A name, or something that identifies the contact, is required. Phone number, e-mail, professional ' +
      'network identifier and external id are each unique within a company: 409 returns the id of the existing ' +
      'contact in `existing_id`.',
    body: ref(ContactCreate),
    answers: { 201: ref(Contact) },
    errors: ['CONTACT_EXISTS', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => createContact(tenant, body),
    again: readContact,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts',
    scope: 'contacts:read',
    summary: 'List, search and filter contacts',
    description:
      'A page takes a few milliseconds, even with a million contacts; only rare matches without an index take ' +
      'longer: a single letter, part of a custom field, or a negated filter that few contacts match. The total ' +
      "is exact, and counting some 100,000 takes most of a second: omit it with skipCount if you don't need it.",
    query: ContactQuery,
    errors: ['UNKNOWN_REFERENCE'],
    answers: { 200: ContactList },
    handler: (tenant, { query }) => pageContacts(tenant, query),
  });
  upsertRoute(app, kit);
  sheetRoutes(app, kit);
  recordRoutes(app, kit);
}

const NEEDS_FOR_UPDATES: Need<{ body: { update_existing?: boolean } }> = {
  scopes: ['contacts:update'],
  when: 'unless `update_existing` is false',
  flag: 'update_existing',
  arises: (_tenant, { body }) => body.update_existing !== false,
};

function upsertRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/contacts/bulk',
    scope: 'contacts:create',
    needs: [NEEDS_FOR_UPDATES],
    action: 'contacts.upsert',
    summary: 'Create or update up to 500 contacts',
    description: UPSERT_WORDS,
    body: ref(ContactUpsert),
    answers: { 201: ref(ContactUpsertResult) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => upsertContacts(tenant, body),
    again: (tenant, id, { body }) => findUpserted(tenant, id, body),
  });
}

const UPSERT_WORDS =
  'Each item updates the contact that has its external id, phone number, e-mail or professional network ' +
  'identifier, like a PATCH, or else creates a contact. The response has a result for each item, in order. ' +
  'An item that cannot be stored is FAILED with its `errors`, for example because a value is not valid or ' +
  'its identifiers belong to two contacts; the others are stored, all in one transaction. If an owner, ' +
  'business or custom field does not exist, the entire call is rejected. Items are applied one after ' +
  'another, so two items about the same contact change the same record. An identifier that the contact ' +
  'already has, also from a merge, changes nothing. A repeat with the same Idempotency-Key writes nothing, ' +
  'and returns the current contacts of the items.';

function sheetRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/contacts/import',
    scope: 'contacts:create',
    needs: [NEEDS_FOR_UPDATES],
    action: 'contacts.import',
    summary: 'Import contacts from a sheet',
    description: IMPORT_WORDS,
    form: { maxBytes: MAX_SHEET_BYTES },
    body: ContactImportForm,
    answers: { 201: ref(Import) },
    errors: ['IMPORTS_WAITING', 'QUOTA_EXCEEDED'],
    handler: (tenant, { upload, body, reply }) =>
      importContacts(kit, tenant, { upload, body, signal: hangUpSignal(reply) }),
    again: readContactImport,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/export',
    scope: 'contacts:read',
    summary: 'Export contacts as CSV',
    description: EXPORT_WORDS,
    query: ContactExportQuery,
    errors: ['UNKNOWN_REFERENCE'],
    answers: { 200: CSV_ANSWER },
    handler: (tenant, { query, reply }) => exportContacts(kit, tenant, query, reply),
  });
  importRoutes(app, kit);
}

function importRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/contacts/import/phone-numbers',
    scope: 'contacts:create',
    action: null,
    summary: 'Preview the phone numbers of an import',
    description:
      'Reads phone numbers as an import with this `country` would, and stores nothing. Show the first numbers ' +
      'of a sheet to the person who uploads it, to detect a wrong country before the import starts.',
    body: ref(PhonesToPreview),
    answers: { 200: ref(PhonePreview) },
    handler: (tenant, { body }) => previewPhones(tenant, body),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/import',
    scope: 'contacts:read',
    summary: 'List contact imports',
    description: 'Each import with its status and counters. The contents of the sheet are not included.',
    query: ImportQuery,
    answers: { 200: ImportList },
    handler: (tenant, { query }) => pageContactImports(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/import/:importId',
    scope: 'contacts:read',
    summary: 'Read a contact import',
    description:
      'Poll until `status` is COMPLETED or FAILED: `processed` of `total` rows are done. `row_errors` has the ' +
      'first failed rows; `/errors` returns all of them.',
    params: ContactImportParams,
    answers: { 200: ref(Import) },
    handler: (tenant, { params }) => readContactImport(tenant, params.importId),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/import/:importId/errors',
    scope: 'contacts:read',
    summary: 'The failed rows of a contact import, as CSV',
    description: 'One line per error: the number of the row, the field, and the problem.',
    params: ContactImportParams,
    answers: { 200: CSV_ANSWER },
    handler: (tenant, { params, reply }) => sendContactErrors(tenant, params.importId, reply),
  });
}

const IMPORT_WORDS =
  'CSV (UTF-8 or Windows-1252; comma, semicolon or tab) or XLSX (its first sheet), at most 50 MB, 500 MB ' +
  'unpacked, 100,000 rows, 500 columns. A cell of more than 32 kB or a row of more than 80 kB is an error ' +
  'of its row. The first row has the titles. A column is imported if its title is the name of a field, or ' +
  'slug, id or title of a custom field, or if it is in `mapping`; one column must identify the contacts. ' +
  'The response lists the columns. The sheet is processed afterwards: read the import for its progress. A ' +
  'row with an error is not stored; if only the e-mail or phone number is invalid and something else ' +
  'identifies the contact, only that value is left out. The contact that has the `_id`, phone number, ' +
  'e-mail, professional network identifier or external id of a row is updated with the cells that are not ' +
  'empty, unless `update_existing` is false. An identifier that the contact already has, also from a ' +
  'merge, changes nothing; an unknown `_id` is an error of its row. Lists and tags are separated by commas ' +
  'or semicolons; whitespace around a value is ignored.';

const EXPORT_WORDS =
  'Newest first, with one column per custom field. The import finds each contact again by its `_id`, and ' +
  'an unchanged file changes nothing except whitespace around values. A text that a spreadsheet would read ' +
  'as a formula is prefixed with an apostrophe, except plain numbers and phone numbers.';

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/:id',
    scope: 'contacts:read',
    summary: 'Read a contact',
    description: 'Returns the contact with the values of its custom fields. Contact events use the same format.',
    params: ContactParams,
    answers: { 200: ref(Contact) },
    handler: (tenant, { params }) => readContact(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/contacts/:id',
    scope: 'contacts:update',
    summary: 'Change a contact',
    description:
      'Fields that the request does not name stay unchanged, also within custom_fields; `tags` replaces all ' +
      'tags. A replaced phone number or e-mail becomes available to other contacts.',
    params: ContactParams,
    body: ref(ContactUpdate),
    answers: { 200: ref(Contact) },
    errors: ['CONTACT_EXISTS', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateContactById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/contacts/:id',
    scope: 'contacts:delete',
    summary: 'Erase a contact with its conversations and messages',
    description:
      'The contact is erased permanently and without an event. Table rows of the contact stay, without the ' +
      'link. A job that starts immediately removes its data from the delivery log; queued deliveries about it ' +
      'are not sent.',
    params: ContactParams,
    answers: { 200: ref(Contact) },
    handler: (tenant, { params }) => removeContact(kit, tenant, params.id),
  });
}
