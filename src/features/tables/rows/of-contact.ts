/** Lists the rows of all tables that name a contact. */
import { pageWindow, type Page } from '../../../platform/store/paging.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { readContact } from '../../contacts/contacts.ts';
import type { ContactRowQuery, Row } from '../schemas.ts';
import { listRowsOfContact } from './list-queries.ts';
import { toRow } from './rows.ts';

export async function pageRowsOfContact(tenant: Tenant, contact: string, query: ContactRowQuery): Promise<Page<Row>> {
  const page = await listRowsOfContact(tenant.read, contact, pageWindow(`contact-rows:${contact}`, query));
  if (page.result.length === 0) await readContact(tenant, contact);
  return { ...page, result: page.result.map(toRow) };
}
