/** Statements that delete notifications of all companies. */
import { exec, many } from '../../platform/store/db.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../platform/store/retention.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export function deleteOld(tx: SystemTx, days: number, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'notifications.deleteOld',
    text: `delete from notifications where ${IN_STRETCH} and created_at < now() - make_interval(days => $1)`,
    values: [days, ...pageRangeBounds(range)],
  });
}

interface Receiver {
  company: string;
  user: string;
}

/** Lists the users who have more notifications than are kept. */
export function listCrowded(tx: SystemTx, kept: number): Promise<Receiver[]> {
  return many(tx, {
    name: 'notifications.listCrowded',
    text: `select company_id as company, user_id as "user" from notifications group by company_id, user_id having count(*) > $1`,
    values: [kept],
  });
}

export function deleteSurplus(
  tx: SystemTx,
  { company, user }: Receiver,
  { kept, portion }: { kept: number; portion: number },
): Promise<number> {
  return exec(tx, {
    name: 'notifications.deleteSurplus',
    text: `delete from notifications where company_id = $1 and _id = any(array(
        select _id from notifications where company_id = $1 and user_id = $2 order by created_at desc, _id desc offset $3 limit $4))`,
    values: [company, user, kept, portion],
  });
}
