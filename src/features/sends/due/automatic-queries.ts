/**
 * Statements for messages that an inbox sends by itself. Their table has the columns of a queue of due messages, conversation_id, and ended_at,
 * which is set whether the message was sent or not.
 */
import type { ChannelName } from '../../../channels/registry.ts';
import { exec, maybeOne } from '../../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { LeasedTable } from '../../../platform/work/claims/leases.ts';

/** The queue of such a table. */
export type AutomaticQueue = LeasedTable;

/** Returns the inbox of the conversation, in whose name the message is sent. */
export function findSender(
  tx: TenantRead,
  { table }: AutomaticQueue,
  id: string,
): Promise<{ _id: string; name: string; channel: ChannelName } | null> {
  return maybeOne(tx, {
    name: `sends.findSender.${table}`,
    text: `select i._id, i.name, i.channel from ${table} a
        join conversations v on v.company_id = a.company_id and v._id = a.conversation_id
        join inboxes i on i.company_id = v.company_id and i._id = v.inbox_id
      where a.company_id = $1 and a._id = $2`,
    values: [tx.companyId, id],
  });
}

/** Locks the conversation, which a statement that then locks the row of the message sees as it is. */
export function lockPlace(tx: TenantTx, { table }: AutomaticQueue, id: string): Promise<number> {
  return exec(tx, {
    name: `sends.lockPlace.${table}`,
    text: `select 1 from conversations v where v.company_id = $1
      and v._id = (select conversation_id from ${table} where company_id = $1 and _id = $2) for no key update of v`,
    values: [tx.companyId, id],
  });
}

/** Notes the message that is about to be sent. From now on no one sends it again. */
export function beginAutomatic(
  tx: TenantTx,
  { table }: AutomaticQueue,
  id: string,
  { message, settleSeconds }: { message: string; settleSeconds: number },
): Promise<number> {
  return exec(tx, {
    name: `sends.beginAutomatic.${table}`,
    text: `update ${table} set message_id = $3, held_until = null, settle_until = now() + make_interval(secs => $4)
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, message, settleSeconds],
  });
}

/** Ends a row, whether its message was sent or not. The row stays. */
export function endAutomatic(tx: TenantTx, { table }: AutomaticQueue, id: string): Promise<number> {
  return exec(tx, {
    name: `sends.endAutomatic.${table}`,
    text: `update ${table} set ended_at = now(), settle_until = null, held_until = null, is_waiting = false
      where company_id = $1 and _id = $2 and ended_at is null`,
    values: [tx.companyId, id],
  });
}
