import { many } from '../../platform/store/db.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';

/** Returns the names of those of the ids to which conversations are assigned: inboxes, users, teams, agents and steps, also removed ones. */
export async function nameAssigned(tx: TenantRead, ids: string[]): Promise<Map<string, string>> {
  const rows = await many<{ _id: string; name: string }>(tx, {
    name: 'conversations.nameAssigned',
    text: `select _id, name from inboxes where company_id = $1 and _id = any($2::text[])
      union all select _id, name from users where company_id = $1 and _id = any($2::text[])
      union all select _id, name from teams where company_id = $1 and _id = any($2::text[])
      union all select _id, name from agents where company_id = $1 and _id = any($2::text[])
      union all select _id, name from pipeline_steps where company_id = $1 and _id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
  return new Map(rows.map(({ _id, name }) => [_id, name]));
}
