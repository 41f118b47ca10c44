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
      'A name, or something that identifies the contact, has to be there. Phone number, e-mail, professional network identifier and external id each belong to one contact of the company: 409 names the one that has it in `existing_id`.',
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
      'A page takes some milliseconds, also among a million contacts; only rare matches that no index can find take longer: a single letter, a part of a custom field, or a negated filter that few contacts meet. The total is exact, and counting some 100,000 takes a good part of a second: leave it out with skipCount where nobody reads it.',
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
  'The contact that has the external id, phone number, e-mail or professional network identifier of an item is updated with the ' +
  'fields of the item, as PATCH does it; where nobody has one, a contact is created. The answer has a result for each item, in their order. ' +
  'An item that can not be stored is FAILED with its `errors`, and the others are stored, all in one transaction: a value that is not valid, ' +
  'or identifiers that belong to two contacts. An owner, business or custom field that does not exist refuses the whole call. ' +
  'Items are applied one after the other, so two about one contact change the same one. An identifier that the contact already has, also ' +
  'from a merge, changes nothing. A repeat with the same ' +
  'Idempotency-Key writes nothing, and says which contacts the items have now.';

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
      'Reads phone numbers as an import with this `country` would, and stores nothing. Show the first numbers of a sheet to the person who uploads it, who sees a wrong country before the import starts.',
    body: ref(PhonesToPreview),
    answers: { 200: ref(PhonePreview) },
    handler: (tenant, { body }) => previewPhones(tenant, body),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/import',
    scope: 'contacts:read',
    summary: 'List imports of contacts',
    description: 'Each import with its state and its counters. What a sheet held is not part of it.',
    query: ImportQuery,
    answers: { 200: ImportList },
    handler: (tenant, { query }) => pageContactImports(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/import/:importId',
    scope: 'contacts:read',
    summary: 'Read an import of contacts',
    description:
      'Ask until `status` is COMPLETED or FAILED: `processed` of `total` rows are done. `row_errors` has the first rows that failed; all of them are in `/errors`.',
    params: ContactImportParams,
    answers: { 200: ref(Import) },
    handler: (tenant, { params }) => readContactImport(tenant, params.importId),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/import/:importId/errors',
    scope: 'contacts:read',
    summary: 'The rows of an import of contacts that failed, as CSV',
    description: 'A line for each error: the number of the row, the field, and what is wrong with it.',
    params: ContactImportParams,
    answers: { 200: CSV_ANSWER },
    handler: (tenant, { params, reply }) => sendContactErrors(tenant, params.importId, reply),
  });
}

const IMPORT_WORDS =
  'CSV (UTF-8 or Windows-1252; comma, semicolon or tab) or XLSX (its first sheet), at most 50 MB, 500 MB unpacked, 100,000 rows, 500 columns; a cell ' +
  'has at most 32 kB, a row 80 kB, else it is an error of its row. The first row has the titles. A column is imported if its title is the name of a field, or slug, id or title of a custom field, or if `mapping` names it; one column must identify the contacts. The ' +
  'answer lists the columns. The sheet is processed afterwards: read the import for its progress. A row with an error ' +
  'is not stored; only a wrong e-mail or phone number is left out, if something else says who the contact is. The contact that has the `_id`, phone number, e-mail, professional network identifier or external id of a row is ' +
  'updated with the filled cells, unless `update_existing` is false. An identifier that the ' +
  'contact already has, also from a merge, changes nothing; an `_id` that no contact has is an error of its row. Lists and tags have commas ' +
  'or semicolons between their items; blanks around a value do not count.';

const EXPORT_WORDS =
  'Newest first, with one column per custom field. The import finds each contact again by its `_id`, and an unchanged file changes ' +
  'nothing but blanks around a value. A text that a spreadsheet would read as a formula gets an apostrophe before it, except for plain ' +
  'numbers and phone numbers.';

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/:id',
    scope: 'contacts:read',
    summary: 'Read a contact',
    description: 'Answers the contact with the values of its custom fields. The data of contact events has this form.',
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
      'Fields that the request does not name stay as they are, also within custom_fields; tags are replaced as a whole. A replaced phone number or e-mail becomes free for another contact.',
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
      'The contact is erased for good and without an event. Table rows that named it stay without the link. A job that begins at once removes its data from the log of deliveries; deliveries about it that still wait are not sent.',
    params: ContactParams,
    answers: { 200: ref(Contact) },
    handler: (tenant, { params }) => removeContact(kit, tenant, params.id),
  });
}
