import { many, oneValue } from '../../../platform/store/db.ts';
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

/** Counts the matching contacts, but not more than `most`. */
export function countFoundContacts(tx: TenantRead, match: ContactMatch, most: number): Promise<number> {
  const { exact, indexed, values } = buildConditions(match);
  return oneValue(tx, {
    name: 'contacts.countFound',
    text: `select count(*)::int as count from (
      select from contacts where company_id = $1${indexed ?? ''}${exact} limit $${values.length + 2}) found`,
    values: [tx.companyId, ...values, most],
    planEachTime: true,
  });
}

export function hasMoreContacts(tx: TenantRead, than: number): Promise<boolean> {
  return oneValue(tx, {
    name: 'contacts.hasMore',
    text: 'select count(*) > $2::int as more from (select from contacts where company_id = $1 limit $2::int + 1) counted',
    values: [tx.companyId, than],
  });
}
