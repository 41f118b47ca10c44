/** Exports contacts as a CSV that the import can read: fields of the record under their names, custom fields under their slugs. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../kit.ts';
import { sendCsv } from '../../platform/http/download.ts';
import { pageWindow } from '../../platform/store/paging.ts';
import { walkPortions } from '../../platform/store/portions.ts';
import { csvLine } from '../../platform/work/sheets/csv.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import type { CustomField } from '../custom-fields/schemas.ts';
import { listAllDefinitions } from '../custom-fields/values.ts';
import { toCell } from '../imports/cells.ts';
import type { ContactMatch } from './list/filter-queries.ts';
import { walkContacts } from './import/queries.ts';
import { findContactPage, readContactMatch } from './list/list.ts';
import { MAX_IDS, type Contact, type ContactExportQuery } from './schemas.ts';

const COLUMNS = [
  '_id',
  'name',
  'email',
  'phone_number',
  'country_code',
  'professional_network_identifier',
  'external_id',
  'username',
  'avatar_url',
  'language',
  'tags',
  'business',
  'owner',
  'opted_out',
  'blocked',
  'source',
  'last_inbound_at',
  'last_message_at',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Contact)[];

// A statement that looks at this many contacts takes some ten milliseconds, however few of them match.
const REACH = 1_000;
/** The page of all contacts that a request can list by their ids. */
const LISTED = { limit: MAX_IDS, skipCount: true, sort: '-createdAt' } as const;

/** Checks search and filters before the stream of the answer begins. Throws what readContactMatch throws, and RATE_LIMITED for a third export at once. */
export async function exportContacts(
  kit: Kit,
  tenant: Tenant,
  query: ContactExportQuery,
  reply: FastifyReply,
): Promise<Readable> {
  const match = await readContactMatch(tenant, query);
  const fields = await listAllDefinitions(tenant.read, 'contact');
  await kit.admitExport(tenant.companyId, reply);
  return sendCsv(reply, 'contacts.csv', writePortions(tenant, match, fields));
}

async function* writePortions(tenant: Tenant, match: ContactMatch, fields: CustomField[]): AsyncGenerator<string> {
  // The prefix distinguishes a custom field called `name` from the contact's own field.
  yield csvLine([...COLUMNS, ...fields.map(({ slug }) => `custom_fields.${slug}`)]);
  if (match.ids !== null) {
    const listed = await findContactPage(tenant, match, pageWindow('contacts', LISTED));
    yield listed.map((contact) => toLine(contact, fields)).join('');
    return;
  }
  const portions = walkPortions((last: Contact | null) =>
    walkContacts(tenant.walk, match, last && { createdAt: last.createdAt, id: last._id }, REACH),
  );
  for await (const walked of portions) {
    const lines = walked.filter(({ matches }) => matches).map((contact) => toLine(contact, fields));
    if (lines.length > 0) yield lines.join('');
  }
}

function toLine(contact: Contact, fields: CustomField[]): string {
  const held = new Map(contact.custom_fields.map(({ _id, value }) => [_id, value]));
  return csvLine([
    ...COLUMNS.map((column) => toCell(contact[column])),
    ...fields.map(({ _id }) => toCell(held.get(_id))),
  ]);
}
