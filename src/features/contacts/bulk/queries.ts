import { many } from '../../../platform/store/db.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';

/** Returns those of the ids that are contacts of the company, the newest first. */
export async function findNewestFirst(tx: TenantRead, ids: string[]): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'contacts.runs.findNewestFirst',
    text: 'select _id from contacts where company_id = $1 and _id = any($2::text[]) order by created_at desc, _id desc',
    values: [tx.companyId, ids],
  });
  return rows.map(({ _id }) => _id);
}
