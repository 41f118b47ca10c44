import { exec, many } from '../../platform/db.ts';
import type { TenantTx } from '../../platform/tenant.ts';

export interface Move {
  from: string;
  to: string;
}

/** Where both contacts have an open conversation in one inbox, the younger is closed: the index allows one. */
export function closeDoubles(tx: TenantTx, { from, to }: Move): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'merges.closeDoubles',
    text: `update conversations v set status = 'CLOSED', closed_at = now(), snoozed_until = null, updated_at = now()
      where v.company_id = $1 and v.contact_id = any(array[$2, $3]) and v.status <> 'CLOSED' and exists (
        select 1 from conversations o
        where o.company_id = $1 and o.contact_id = any(array[$2, $3]) and o.inbox_id = v.inbox_id and o.status <> 'CLOSED'
          and (o.created_at, o._id) < (v.created_at, v._id)
      )
      returning v._id`,
    values: [tx.companyId, from, to],
  });
}

export function moveConversations(tx: TenantTx, { from, to }: Move): Promise<number> {
  return exec(tx, {
    name: 'merges.moveConversations',
    text: 'update conversations set contact_id = $3, updated_at = now() where company_id = $1 and contact_id = $2',
    values: [tx.companyId, from, to],
  });
}

/** A portion at a time, while their conversations are still the one contact's; what the contact wrote names it as its sender, too. */
export function moveMessages(tx: TenantTx, { from, to }: Move, limit: number): Promise<number> {
  return exec(tx, {
    name: 'merges.moveMessages',
    text: `update messages set contact_id = $3, sender_id = case when sender_id = $2 then $3 else sender_id end
      where company_id = $1 and _id = any(array(
        select m._id from conversations v join messages m on m.company_id = v.company_id and m.conversation_id = v._id
        where v.company_id = $1 and v.contact_id = $2 and m.contact_id = $2 limit $4))`,
    values: [tx.companyId, from, to, limit],
  });
}

export function moveRows(tx: TenantTx, { from, to }: Move, limit: number): Promise<number> {
  return exec(tx, {
    name: 'merges.moveRows',
    text: `update table_rows set contact_id = $3, updated_at = now() where company_id = $1 and _id = any(array(
        select _id from table_rows where company_id = $1 and contact_id = $2 limit $4))`,
    values: [tx.companyId, from, to, limit],
  });
}
