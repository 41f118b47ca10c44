import { maybeOne } from '../../platform/db.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import type { Contact } from './schemas.ts';

export const CONTACT = `c._id, c.company_id as company, c.name, c.email, c.phone_number, c.country_code,
  c.professional_network_identifier, c.external_id, c.avatar_url, c.language, c.tags, c.business_id as business,
  custom_field_values(c.company_id, c.custom_fields) as custom_fields, c.owner_id as owner, c.opted_out, c.blocked, c.source, c.last_inbound_at, c.last_message_at,
  c.created_at as "createdAt", c.updated_at as "updatedAt"`;

export function findContact(tx: TenantRead, id: string): Promise<Contact | null> {
  return maybeOne(tx, {
    name: 'contacts.find',
    text: `select ${CONTACT} from contacts c where c.company_id = $1 and c._id = $2`,
    values: [tx.companyId, id],
  });
}
