import { exec, many } from '../../platform/store/db.ts';
import { selectPortionSql, REWRITTEN_BYTES } from '../../platform/store/portions.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';

export interface ContactMove {
  from: string;
  to: string;
}

/**
 * Closes the younger conversation where both contacts have an open one in the same inbox, because the unique index allows one. Its unread
 * messages are added to the older conversation, which is opened again if it was snoozed and now has unread messages, and gets its
 * followers. Returns the conversations that changed.
 */
export function closeDoubleConversations(tx: TenantTx, { from, to }: ContactMove): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'merges.closeDoubles',
    text: `with doubles as (
        select v._id, v.unread_count, v.last_inbound_at, v.waiting_since, v.heard_from, o._id as stays, o.status = 'SNOOZED' and v.unread_count > 0 as wakes
        from conversations v join conversations o on o.company_id = v.company_id and o.inbox_id = v.inbox_id
          and (o.created_at, o._id) < (v.created_at, v._id)
        where v.company_id = $1 and v.contact_id = any(array[$2, $3]) and v.status <> 'CLOSED'
          and o.contact_id = any(array[$2, $3]) and o.status <> 'CLOSED'
      ), closed as (
        update conversations v set status = 'CLOSED', closed_at = now(), snoozed_until = null, unread_count = 0, waiting_since = null,
          updated_at = now()
        from doubles d where v.company_id = $1 and v._id = d._id
      ), older as (
        update conversations o set unread_count = o.unread_count + d.unread_count,
          last_inbound_at = greatest(o.last_inbound_at, d.last_inbound_at),
          waiting_since = least(o.waiting_since, d.waiting_since),
          heard_from = case when d.last_inbound_at >= coalesce(o.last_inbound_at, '-infinity') then d.heard_from else o.heard_from end,
          status = case when d.wakes then 'OPEN' else o.status end,
          snoozed_until = case when d.wakes then null else o.snoozed_until end,
          updated_at = case when d.wakes then now() else o.updated_at end
        from doubles d where o.company_id = $1 and o._id = d.stays
      ), followed as (
        insert into conversation_participants (company_id, conversation_id, user_id, follows)
          select p.company_id, d.stays, p.user_id, p.follows from doubles d join conversation_participants p
            on p.company_id = $1 and p.conversation_id = d._id
          on conflict (company_id, conversation_id, user_id) do nothing
      )
      select _id from doubles union all select stays from doubles where wakes`,
    values: [tx.companyId, from, to],
  });
}

/** A conversation that goes on in another one was not closed by anyone: no rule looks at it. */
export function forgetClosings(tx: TenantTx, conversations: string[]): Promise<number> {
  return exec(tx, {
    name: 'merges.forgetClosings',
    text: `delete from rule_events where company_id = $1 and conversation_id = any($2::text[]) and event = 'CONVERSATION_CLOSED'
      and claimed_at is null`,
    values: [tx.companyId, conversations],
  });
}

export function moveConversations(tx: TenantTx, { from, to }: ContactMove): Promise<{ _id: string; open: boolean }[]> {
  return many(tx, {
    name: 'merges.moveConversations',
    text: `update conversations set contact_id = $3, updated_at = now() where company_id = $1 and contact_id = $2
      returning _id, status <> 'CLOSED' as open`,
    values: [tx.companyId, from, to],
  });
}

/**
 * Moves messages a portion at a time, while their conversations still belong to the old contact. Messages that the contact wrote also get
 * the new contact as sender.
 */
export function moveMessages(tx: TenantTx, { from, to }: ContactMove, limit: number): Promise<number> {
  return exec(tx, {
    name: 'merges.moveMessages',
    text: `update messages set contact_id = $3, sender_id = case when sender_id = $2 then $3 else sender_id end
      where company_id = $1 and _id = any(array(
        select m._id from conversations v join messages m on m.company_id = v.company_id and m.conversation_id = v._id
        where v.company_id = $1 and v.contact_id = $2 and m.contact_id = $2 limit $4))`,
    values: [tx.companyId, from, to, limit],
  });
}

/** Moves the rows of bulk runs about the contact. */
export function moveBulkRows(tx: TenantTx, { from, to }: ContactMove): Promise<number> {
  return exec(tx, {
    name: 'merges.moveBulkRows',
    text: 'update bulk_rows set contact_id = $3 where company_id = $1 and contact_id = $2',
    values: [tx.companyId, from, to],
  });
}

/** Moves the enrollments of the contact, but for campaigns in which the other contact takes part itself. */
export function moveEnrollments(tx: TenantTx, { from, to }: ContactMove): Promise<number> {
  return exec(tx, {
    name: 'merges.moveEnrollments',
    text: `update campaign_enrollments e set contact_id = $3, updated_at = now() where company_id = $1 and contact_id = $2
      and not exists (select from campaign_enrollments o where o.company_id = $1 and o.campaign_id = e.campaign_id and o.contact_id = $3)`,
    values: [tx.companyId, from, to],
  });
}

/** Moves rows a portion at a time, because the search index is updated for each row. */
export function moveRows(tx: TenantTx, { from, to }: ContactMove, limit: number): Promise<number> {
  const rows = 'select _id, record_bytes as bytes from table_rows where company_id = $1 and contact_id = $2 limit $4';
  return exec(tx, {
    name: 'merges.moveRows',
    text: `update table_rows set contact_id = $3, updated_at = now() where company_id = $1 and _id = any(array(
        ${selectPortionSql({ rows, order: '_id', most: REWRITTEN_BYTES })}))`,
    values: [tx.companyId, from, to, limit],
  });
}
