import { many } from '../../../platform/store/db.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';

/** Returns those of the ids that are conversations of the company, the one with the newest message first. */
export async function findNewestFirst(tx: TenantRead, ids: string[]): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'conversations.runs.findNewestFirst',
    text: `select _id from conversations where company_id = $1 and _id = any($2::text[])
      order by last_message_at desc nulls last, _id desc`,
    values: [tx.companyId, ids],
  });
  return rows.map(({ _id }) => _id);
}
