import type { Hours } from '../../channels/office-hours.ts';
import { exec, maybeOne } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';

/** Returns the inbox of an away text, in whose name it is sent. */
export function findSender(tx: TenantRead, id: string): Promise<{ _id: string; name: string } | null> {
  return maybeOne(tx, {
    name: 'away-texts.findSender',
    text: `select i._id, i.name from away_texts a
        join conversations v on v.company_id = a.company_id and v._id = a.conversation_id
        join inboxes i on i.company_id = v.company_id and i._id = v.inbox_id
      where a.company_id = $1 and a._id = $2`,
    values: [tx.companyId, id],
  });
}

/** An away text that a worker is about to send. */
export interface DueAwayText {
  conversation: string;
  message: string | null;
  claimed_at: string | null;
  /** What is sent; null if the inbox has none any more. */
  text: string | null;
  /** Null if the inbox is always open by now. */
  hours: Hours | null;
  /** Whether the contact still waits for an answer of a person, and may be written to. */
  is_wanted: boolean;
}

/** Locks the conversation and then its away text. Returns null when the text has ended. */
export async function lockAwayText(tx: TenantTx, id: string): Promise<DueAwayText | null> {
  await exec(tx, {
    name: 'away-texts.lockPlace',
    text: `select 1 from conversations v where v.company_id = $1
      and v._id = (select conversation_id from away_texts where company_id = $1 and _id = $2) for no key update of v`,
    values: [tx.companyId, id],
  });
  return maybeOne(tx, {
    name: 'away-texts.lock',
    text: `select a.conversation_id as conversation, a.message_id as message, a.claimed_at, i.away_text as text,
        (select json_build_object('time_zone', h.time_zone, 'days', h.days, 'special_dates', h.special_dates)
          from business_hours h where h.company_id = i.company_id and h._id = i.business_hours) as hours,
        v.status <> 'CLOSED' and v.handled_by <> 'AI' and v.waiting_since is not null and not c.blocked and not c.opted_out
          and coalesce(v.window_expires_at > now(), true) and i.status = 'ACTIVE' and b.status = 'ACTIVE' as is_wanted
      from away_texts a
        join conversations v on v.company_id = a.company_id and v._id = a.conversation_id
        join contacts c on c.company_id = v.company_id and c._id = v.contact_id
        join inboxes i on i.company_id = v.company_id and i._id = v.inbox_id
        join companies b on b._id = a.company_id
      where a.company_id = $1 and a._id = $2 and a.ended_at is null for update of a`,
    values: [tx.companyId, id],
  });
}

/** Notes the message that is about to be sent. From now on no one sends the text again. */
export function beginAwayText(tx: TenantTx, id: string, message: string, settleSeconds: number): Promise<number> {
  return exec(tx, {
    name: 'away-texts.begin',
    text: `update away_texts set message_id = $3, held_until = null, settle_until = now() + make_interval(secs => $4)
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, message, settleSeconds],
  });
}

/** Ends an away text, whether it was sent or not. The row stays, so that the conversation gets no other one. */
export function endAwayText(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'away-texts.end',
    text: `update away_texts set ended_at = now(), settle_until = null, held_until = null, is_waiting = false
      where company_id = $1 and _id = $2 and ended_at is null`,
    values: [tx.companyId, id],
  });
}
