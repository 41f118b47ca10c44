import { many } from '../../../platform/store/db.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';

/** What the record of a bulk change shows in addition to the columns of all runs. */
export const RUN_COLUMNS = `input as change, changed_count, failed_count, failures, error,
  json_build_object('type', case actor ->> 'type' when 'user' then 'USER' else 'KEY' end, '_id', actor ->> 'id',
    'name', actor ->> 'name') as created_by, started_at`;

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
