import type { Hours } from '../../channels/office-hours.ts';
import { maybeOne } from '../../platform/store/db.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import type { DueAutomatic } from '../sends/due/schemas.ts';

/** An away text that a worker is about to send. */
export interface DueAwayText extends DueAutomatic {
  /** What is sent; null if the inbox has none any more. */
  text: string | null;
  /** Null if the inbox is always open by now. */
  hours: Hours | null;
  /** Whether the contact still waits for an answer of a person, and may be written to. */
  is_wanted: boolean;
}

/** Locks an away text; its conversation is locked already. Returns null when the text has ended. */
export function lockAwayText(tx: TenantTx, id: string): Promise<DueAwayText | null> {
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
