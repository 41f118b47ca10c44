/** Contacts of a company. */
import { notFound } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { findContact } from './queries.ts';
import type { Contact } from './schemas.ts';

export async function readContact(tenant: Tenant, id: string): Promise<Contact> {
  const contact = await findContact(tenant.read, id);
  if (!contact) throw notFound();
  return contact;
}
