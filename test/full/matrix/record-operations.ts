/** The operations on records: contacts and businesses, pipelines, conversations, tables, sheets. */
import { newId } from '../../../src/platform/ids.ts';
import type { Json, Platform } from '../../support/platform.ts';
import type { Kind, Side } from './companies.ts';
import { cursor, type Entry, type Reference } from './entry.ts';

const post = async ({ call }: Platform, { key }: Side, path: string, body: Json): Promise<Json> =>
  (await call(201, 'POST', path, { key, body })).body;

/** Creates records that the next request may delete. */
async function addContact(platform: Platform, own: Side): Promise<void> {
  own.disposable = { contact: (await post(platform, own, '/v1/contacts', { name: 'Ana' }))._id };
}

async function addBusiness(platform: Platform, own: Side): Promise<void> {
  own.disposable = { business: (await post(platform, own, '/v1/businesses', { name: 'Bakery' }))._id };
}

const newField = (): Json => ({ title: 'Till', slug: `till_${newId()}`, context: 'contact', type: 'TEXT' });

async function addField(platform: Platform, own: Side): Promise<void> {
  own.disposable = { customField: (await post(platform, own, '/v1/custom-fields', newField()))._id };
}

async function addPipeline(platform: Platform, own: Side): Promise<void> {
  const body = { name: 'Sales', steps: [{ name: 'New' }, { name: 'Old' }] };
  const { _id, steps } = await post(platform, own, '/v1/pipelines', body);
  own.disposable = { pipeline: _id, step: steps[0]._id, spareStep: steps[1]._id };
}

const newTable = (): Json => ({ name: 'Till', slug: `till_${newId()}`, columns: [{ key: 'note', type: 'TEXT' }] });

async function addTable(platform: Platform, own: Side): Promise<void> {
  own.disposable = { table: (await post(platform, own, '/v1/tables', newTable()))._id };
}

async function addRow(platform: Platform, own: Side): Promise<void> {
  const path = `/v1/tables/${own.records.table}/rows`;
  own.disposable = { row: (await post(platform, own, path, { data: { note: 'Ana' } }))._id };
}

/** Ends the company's waiting imports, because only a few may wait at a time. The statement waits for an import that a worker holds. */
async function endImports({ database }: Platform, own: Side): Promise<void> {
  await database.sql(
    `update imports set status = 'FAILED', started_at = now(), finished_at = now() where company_id = $1 and finished_at is null`,
    [own._id],
  );
}

const mapValues = (kind: Kind): Reference => ({ kind, echoed: true, bySlug: true });
/** A text to search for, which may be an id. */
const searched = (kind: Kind): Reference => ({ kind, answer: 200, anyKind: true, freeText: true });

const filtered: Reference = {
  kind: 'customField',
  write: (field) => JSON.stringify([{ field, operator: 'eq', value: 'Ana' }]),
  at: 'filters[].field',
};

const personReferences = { business: 'business', owner: 'user', 'custom_fields.*': mapValues('customField') } as const;
const businessReferences = { owner: 'user', 'custom_fields.*': mapValues('businessField') } as const;
const rowReferences = { contact_id: 'contact', business_id: 'business' } as const;

const person = ({ records }: Side): Json => ({ name: 'Ana', business: records.business, owner: records.user });
const row =
  (note: string) =>
  ({ records }: Side): Json => ({
    data: { note },
    contact_id: records.contact,
    business_id: records.business,
  });

const otherFields = ['conversationField', 'businessField'] as const;

const PEOPLE: Record<string, Entry> = {
  'GET /v1/custom-fields': {
    scope: 'custom-fields:read',
    references: { after: cursor('customField', 'custom-fields') },
  },
  'POST /v1/custom-fields': { scope: 'custom-fields:create', body: newField },
  'GET /v1/custom-fields/{id}': { scope: 'custom-fields:read', path: { id: 'customField' }, alike: otherFields },
  'PATCH /v1/custom-fields/{id}': {
    scope: 'custom-fields:update',
    path: { id: 'customField' },
    alike: otherFields,
    body: () => ({ title: 'Till' }),
  },
  'DELETE /v1/custom-fields/{id}': {
    scope: 'custom-fields:delete',
    path: { id: 'customField' },
    alike: otherFields,
    disposes: true,
    prepare: addField,
  },
  'GET /v1/businesses': { scope: 'businesses:read', references: { after: cursor('business', 'businesses') } },
  'POST /v1/businesses': {
    scope: 'businesses:create',
    body: ({ records }) => ({ name: 'Bakery', owner: records.user }),
    references: businessReferences,
  },
  'GET /v1/businesses/{id}': { scope: 'businesses:read', path: { id: 'business' } },
  'PATCH /v1/businesses/{id}': {
    scope: 'businesses:update',
    path: { id: 'business' },
    body: ({ records }) => ({ description: 'Bread', owner: records.user }),
    references: businessReferences,
  },
  'DELETE /v1/businesses/{id}': {
    scope: 'businesses:delete',
    path: { id: 'business' },
    disposes: true,
    prepare: addBusiness,
  },
  'GET /v1/contacts': {
    scope: 'contacts:read',
    references: { after: cursor('contact', 'contacts'), search: searched('contact'), filters: filtered },
  },
  'POST /v1/contacts': { scope: 'contacts:create', body: person, references: personReferences },
  'GET /v1/contacts/{id}': { scope: 'contacts:read', path: { id: 'contact' } },
  'PATCH /v1/contacts/{id}': {
    scope: 'contacts:update',
    path: { id: 'contact' },
    body: person,
    references: personReferences,
  },
  'DELETE /v1/contacts/{id}': {
    scope: 'contacts:delete',
    path: { id: 'contact' },
    disposes: true,
    prepare: addContact,
  },
  'POST /v1/contacts/{id}/merge': {
    scope: 'contacts:update',
    path: { id: 'contact' },
    body: ({ disposable }) => ({ contact: disposable.contact }),
    otherBody: ({ records }) => ({ contact: records.contact }),
    references: { contact: 'contact' },
    prepare: addContact,
    action: 'contacts.merge',
  },
  'GET /v1/contacts/export': { scope: 'contacts:read', references: { search: searched('contact'), filters: filtered } },
  'GET /v1/contacts/import': {
    scope: 'contacts:read',
    references: { after: cursor('import', 'imports:CONTACTS:null') },
  },
  'POST /v1/contacts/import': {
    scope: 'contacts:create',
    also: ['contacts:update'],
    body: () => ({ file: 'name\nAna\n', mapping: { name: 'name' } }),
    otherBody: () => ({ file: 'name\nBea\n', mapping: { name: 'name' } }),
    references: { 'mapping{}': { kind: 'customField', bySlug: true } },
    action: 'contacts.import',
    prepare: endImports,
  },
  'GET /v1/contacts/import/{importId}': { scope: 'contacts:read', path: { importId: 'import' } },
  'GET /v1/contacts/import/{importId}/errors': { scope: 'contacts:read', path: { importId: 'import' } },
};

const CONVERSATIONS: Record<string, Entry> = {
  'GET /v1/pipelines': { scope: 'pipelines:read', references: { after: cursor('pipeline', 'pipelines') } },
  'POST /v1/pipelines': { scope: 'pipelines:create', body: () => ({ name: 'Sales', steps: [{ name: 'New' }] }) },
  'GET /v1/pipelines/{id}': { scope: 'pipelines:read', path: { id: 'pipeline' } },
  'PATCH /v1/pipelines/{id}': {
    scope: 'pipelines:update',
    path: { id: 'pipeline' },
    body: ({ disposable: { step, spareStep = '' } }) => ({
      name: 'Sales',
      steps: [{ _id: step, name: 'New' }],
      replacements: { [spareStep]: step },
    }),
    references: { 'steps[]._id': 'step', 'replacements.*': { kind: 'step', echoed: true }, 'replacements{}': 'step' },
    disposes: true,
    prepare: addPipeline,
  },
  'DELETE /v1/pipelines/{id}': {
    scope: 'pipelines:delete',
    path: { id: 'pipeline' },
    references: { replacement: 'step' },
    disposes: true,
    prepare: addPipeline,
  },
  'GET /v1/conversations': {
    scope: 'conversations:read',
    references: {
      after: cursor('conversation', 'conversations'),
      inbox: 'inbox',
      contact: 'contact',
      owner: 'user',
      attendant: 'user',
      agent: 'agent',
      pipeline: 'pipeline',
      step: 'step',
      search: searched('conversation'),
    },
  },
  'POST /v1/conversations': {
    scope: 'conversations:create',
    body: ({ records, disposable }) => ({
      inbox: records.inbox,
      contact: disposable.contact,
      owner: records.user,
      agent: records.agent,
    }),
    otherBody: ({ records }) => ({ inbox: records.inbox, contact: records.contact }),
    references: { inbox: 'inbox', contact: 'contact', owner: 'user', agent: 'agent' },
    prepare: addContact,
  },
  'GET /v1/conversations/{id}': { scope: 'conversations:read', path: { id: 'conversation' } },
  'PATCH /v1/conversations/{id}': {
    scope: 'conversations:update',
    path: { id: 'conversation' },
    body: ({ records }) => ({
      agent: records.agent,
      owner: records.user,
      attendant: records.user,
      step: records.step,
    }),
    references: {
      agent: 'agent',
      owner: 'user',
      attendant: 'user',
      step: 'step',
      'custom_fields.*': mapValues('conversationField'),
    },
  },
  'PUT /v1/conversations/{id}/step': {
    scope: 'conversations:update',
    path: { id: 'conversation' },
    body: ({ records }) => ({ step: records.step }),
    references: { step: 'step' },
  },
  'PUT /v1/conversations/{id}/read': { scope: 'conversations:update', path: { id: 'conversation' } },
};

const TABLES: Record<string, Entry> = {
  'GET /v1/tables': { scope: 'tables:read', references: { after: cursor('table', 'tables') } },
  'POST /v1/tables': { scope: 'tables:create', body: newTable },
  'GET /v1/tables/{id}': {
    scope: 'tables:read',
    path: { id: 'table' },
    references: { after: cursor('row', (own) => `rows:${own.records.table}`) },
  },
  'PATCH /v1/tables/{id}': {
    scope: 'tables:update',
    path: { id: 'table' },
    body: () => ({ description: 'What is sold' }),
  },
  'DELETE /v1/tables/{id}': { scope: 'tables:delete', path: { id: 'table' }, disposes: true, prepare: addTable },
  'GET /v1/tables/{tableId}/rows': {
    scope: 'tables:read',
    path: { tableId: 'table' },
    references: { after: cursor('row', (own) => `rows:${own.records.table}`) },
  },
  'POST /v1/tables/{tableId}/rows': {
    scope: 'tables:create',
    path: { tableId: 'table' },
    body: row('Ana'),
    otherBody: row('Bea'),
    references: rowReferences,
    action: 'tables.create-row',
  },
  'PATCH /v1/tables/{tableId}/rows/{rowId}': {
    scope: 'tables:update',
    path: { tableId: 'table', rowId: 'row' },
    body: row('Bea'),
    references: rowReferences,
    action: 'tables.update-row',
  },
  'DELETE /v1/tables/{tableId}/rows/{rowId}': {
    scope: 'tables:delete',
    path: { tableId: 'table', rowId: 'row' },
    disposes: true,
    prepare: addRow,
    action: 'tables.delete-row',
  },
  'GET /v1/tables/{id}/export': { scope: 'tables:read', path: { id: 'table' } },
  'POST /v1/tables/{id}/import': {
    scope: 'tables:create',
    path: { id: 'table' },
    body: () => ({ file: 'note\nAna\n', mapping: { note: 'note' } }),
    otherBody: () => ({ file: 'note\nBea\n', mapping: { note: 'note' } }),
    // The name of a column, which is no id of a record.
    references: { 'mapping{}': { kind: 'customField', bySlug: true } },
    action: 'tables.import',
    prepare: endImports,
  },
  'GET /v1/tables/{id}/import/{importId}': { scope: 'tables:read', path: { id: 'table', importId: 'tableImport' } },
  'GET /v1/tables/{id}/import/{importId}/errors': {
    scope: 'tables:read',
    path: { id: 'table', importId: 'tableImport' },
  },
};

export const RECORD_ENTRIES: Record<string, Entry> = { ...PEOPLE, ...CONVERSATIONS, ...TABLES };
