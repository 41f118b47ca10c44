/** Statements over all companies that decide which event rules look at next, and that store what has become of it. */
import { exec, many } from '../../platform/store/db.ts';
import { isPicked } from '../../platform/store/picked-rows.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../platform/store/retention.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { pickValues } from '../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../../platform/work/claims/leases.ts';
import type { ClaimCapacity, RowOutcome } from '../../platform/work/claims/queue.ts';
import type { RuleEvent } from './schemas.ts';

export const RULE_EVENTS: LeasedTable = { table: 'rule_events', order: 'created_at' };

/** Something that has happened, while rules look at it. */
export interface ClaimedEvent extends LeasedRow {
  /** How often the work on it was begun, including this time. */
  attempts: number;
  event: RuleEvent;
  conversation: string;
  message: string | null;
  is_automatic: boolean;
  /** False if the company is suspended or the contact is blocked: no rule runs then. */
  is_active: boolean;
  /** For REPLY_OVERDUE: the rule, and since when the contact had waited. */
  rule: string | null;
  awaited_at: string | null;
}

export interface EventOutcome extends RowOutcome, LeasedRow {
  /** After how many seconds rules look at it again; null when all have. */
  pause_seconds: number | null;
}

/** Claims events, a few of each company in turn, and counts the attempt before the work begins. */
export async function claimEvents(
  tx: SystemTx,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedEvent[]; dismissed: number }> {
  const claimed = await many<ClaimedEvent>(tx, {
    name: 'rules.claimEvents',
    text: `${pickLeased(RULE_EVENTS)}
      update rule_events e set ${leaseColumns(RULE_EVENTS)}, attempts = attempts + 1
      from picked where ${isPicked('e')}
      returning e.company_id as company, e._id, attempts, claimed_at, event, conversation_id as conversation, message_id as message,
        is_automatic, rule_id as rule, awaited_at, (select c.status = 'ACTIVE' from companies c where c._id = e.company_id)
          and not has_blocked_contact(e.company_id, e.conversation_id) as is_active`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** Deletes events at which all rules have looked, and puts off the others. A row that another process has claimed meanwhile stays. */
export function recordEvents(tx: SystemTx, outcomes: EventOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'rules.recordEvents',
    text: `with picked as (
        select e.company_id, e._id, o.pause_seconds
        from unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[]) as o (company_id, _id, claimed_at, pause_seconds)
          join rule_events e on ${isPicked('e', '_id', 'o')} and e.claimed_at = o.claimed_at
        for update of e skip locked
      ), ended as (
        delete from rule_events e using picked where ${isPicked('e')} and pause_seconds is null
      )
      update rule_events e set held_until = now() + make_interval(secs => pause_seconds) from picked
      where ${isPicked('e')} and pause_seconds is not null`,
    values: [
      outcomes.map(({ company }) => company),
      outcomes.map(({ _id }) => _id),
      outcomes.map(({ claimed_at }) => claimed_at),
      outcomes.map(({ pause_seconds }) => pause_seconds),
    ],
  });
}

export function deleteOldRuns(tx: SystemTx, days: number, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'rules.deleteOldRuns',
    text: `delete from rule_runs where ${IN_STRETCH} and created_at < now() - make_interval(days => $1)`,
    values: [days, ...pageRangeBounds(range)],
  });
}
