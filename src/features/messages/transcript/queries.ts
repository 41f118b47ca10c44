import { many } from '../../../platform/store/db.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';

/** Returns the names of those of the ids that are users or API keys of the company, also of removed ones. */
export async function nameSenders(tx: TenantRead, ids: string[]): Promise<Map<string, string>> {
  const rows = await many<{ _id: string; name: string }>(tx, {
    name: 'messages.nameSenders',
    text: `select _id, name from users where company_id = $1 and _id = any($2::text[])
      union all select _id, name from api_keys where company_id = $1 and _id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
  return new Map(rows.map(({ _id, name }) => [_id, name]));
}
