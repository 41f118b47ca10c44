/** The clocks of a conversation: when it is to be answered and closed, by the policy that applies to it. */
import { addOpenMinutes } from '../../channels/office-hours.ts';
import type { SlaPolicy } from '../sla-policies/schemas.ts';
import type { Clocks, Timed } from './schemas.ts';

/**
 * Returns the clocks after a change; null for a conversation that has none: it is closed, no contact has waited in it, or no policy applies.
 * A reply ends a wait, so the next one begins later.
 */
export function setClocks(
  before: Clocks | null,
  timed: Timed,
  policies: readonly SlaPolicy[],
  now: Date,
): Clocks | null {
  const { status, waiting_since } = timed;
  const opened_at = before?.opened_at ?? waiting_since;
  const policy = policies.find((each) => applies(each, timed));
  if (status === 'CLOSED' || opened_at === null || !policy) return null;
  const is_held = status === 'SNOOZED';
  const resumed_at = before?.is_held && !is_held ? now.toISOString() : (before?.resumed_at ?? null);
  const has_replied = before !== null && (before.has_replied || isReplied(before, waiting_since));
  const findDue = (minutes: number | null, since: string | null): string | null => {
    if (minutes === null || since === null || is_held) return null;
    const from = new Date(resumed_at !== null && resumed_at > since ? resumed_at : since);
    return addOpenMinutes(policy.within_business_hours ? timed.hours : null, from, minutes)?.toISOString() ?? null;
  };
  const due = {
    first_reply_due_at: has_replied ? null : findDue(policy.first_reply_minutes, waiting_since),
    next_reply_due_at: has_replied ? findDue(policy.next_reply_minutes, waiting_since) : null,
    close_due_at: findDue(policy.close_minutes, opened_at),
  };
  const isLate = Object.values(due).some((at) => at !== null && Date.parse(at) <= now.getTime());
  const waited_from = waiting_since ?? before?.waited_from ?? null;
  const breached_at = isLate ? (before?.breached_at ?? null) : null;
  return { policy: policy._id, waited_from, has_replied, opened_at, is_held, resumed_at, ...due, breached_at };
}

/** A merge of contacts may bring an earlier beginning, which is no reply. */
const isReplied = ({ waited_from }: Clocks, waiting: string | null): boolean =>
  waited_from !== null && (waiting === null || waiting > waited_from);

function applies({ inboxes, teams, priorities }: SlaPolicy, { inbox, team, priority }: Timed): boolean {
  if (inboxes !== null && !inboxes.includes(inbox)) return false;
  if (teams !== null && (team === null || !teams.includes(team))) return false;
  return priorities === null || priorities.includes(priority ?? 'NONE');
}
