import { maybeOne } from '../../platform/store/db.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';

export interface FoundRefuser {
  /** The contact of the link, or the one into which it was merged. */
  contact: string;
  optedOut: boolean;
  /** The name of the company. */
  company: string;
  /** The language of the company. */
  language: string;
}

export function findRefuser(tx: TenantRead, contact: string): Promise<FoundRefuser | null> {
  return maybeOne(tx, {
    name: 'opt-outs.find',
    text: `select c._id as contact, c.opted_out as "optedOut", o.name as company, o.general_config ->> 'language' as language
      from contacts c join companies o on o._id = c.company_id
      where c.company_id = $1
        and c._id = coalesce((select contact_id from absorbed_contacts where company_id = $1 and _id = $2), $2)`,
    values: [tx.companyId, contact],
  });
}
