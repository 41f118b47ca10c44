import { many } from '../../../platform/store/db.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { buildConditions, type ContactMatch } from './filter-queries.ts';

/** Returns up to `limit` matching contacts in no particular order. */
export async function listFoundContacts(tx: TenantRead, match: ContactMatch, limit: number): Promise<string[]> {
  const { exact, indexed, values } = buildConditions(match);
  const rows = await many<{ _id: string }>(tx, {
    name: 'contacts.listFound',
    text: `select _id from contacts where company_id = $1${indexed ?? ''}${exact} limit $${values.length + 2}`,
    values: [tx.companyId, ...values, limit],
    planEachTime: true,
  });
  return rows.map((row) => row._id);
}
