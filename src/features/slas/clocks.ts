/** The clocks of a conversation: when it is to be answered and closed, by the policy that applies to it. */
import { addOpenMinutes, makeCalendar, type Calendar } from '../../channels/office-hours.ts';
import type { SlaPolicy } from '../sla-policies/schemas.ts';
import type { Clocks, Timed } from './schemas.ts';

/** Returns the calendar of the hours of an inbox; null if it is always open. */
export type FindCalendar = (timed: Timed) => Calendar | null;

/** What the company has agreed on. */
interface Terms {
  policies: readonly SlaPolicy[];
  findCalendar: FindCalendar;
}

/** Computes the hours of each inbox once. */
export function findCalendarOnce(): FindCalendar {
  const known = new Map<string, Calendar>();
  return ({ inbox, hours }) => {
    const calendar = known.get(inbox) ?? (hours && makeCalendar(hours));
    if (calendar) known.set(inbox, calendar);
    return calendar;
  };
}

/**
 * Returns the clocks after a change; null for a conversation that has none: it is closed, no contact has waited in it, its contact is
 * blocked, or no policy applies. Clocks of an earlier opening of the conversation do not count.
 */
export function setClocks(
  stored: Clocks | null,
  timed: Timed,
  { policies, findCalendar }: Terms,
  now: Date,
): Clocks | null {
  const { status, waiting_since, begun_at, first_reply_at, is_blocked } = timed;
  const before = stored?.begun_at === begun_at ? stored : null;
  // Without clocks, the first message of a contact who has been answered is not known any more.
  const opened_at = before?.opened_at ?? (first_reply_at === null ? waiting_since : begun_at);
  const policy = policies.find((each) => applies(each, timed));
  if (status === 'CLOSED' || is_blocked || opened_at === null || !policy) return null;
  const is_held = status === 'SNOOZED';
  const resumed_at = before?.is_held && !is_held ? now.toISOString() : (before?.resumed_at ?? null);
  const findDue = (minutes: number | null, since: string | null): string | null => {
    if (minutes === null || since === null || is_held) return null;
    const from = new Date(resumed_at !== null && resumed_at > since ? resumed_at : since);
    return (
      addOpenMinutes(policy.within_business_hours ? findCalendar(timed) : null, from, minutes)?.toISOString() ?? null
    );
  };
  const has_replied = first_reply_at !== null;
  const due = {
    first_reply_due_at: has_replied ? null : findDue(policy.first_reply_minutes, waiting_since),
    next_reply_due_at: has_replied ? findDue(policy.next_reply_minutes, waiting_since) : null,
    close_due_at: findDue(policy.close_minutes, opened_at),
  };
  // The targets of a policy that is gone ended with it.
  const told = policies.some(({ _id }) => _id === before?.policy) ? (before?.breached_at ?? null) : null;
  const breached_at = Object.values(due).some((at) => isSameTime(at, told)) ? told : null;
  return { policy: policy._id, begun_at, opened_at, is_held, resumed_at, ...due, breached_at };
}

const isSameTime = (at: string | null, told: string | null): boolean =>
  at !== null && told !== null && Date.parse(at) === Date.parse(told);

function applies({ inboxes, teams, priorities }: SlaPolicy, { inbox, team, priority }: Timed): boolean {
  if (inboxes !== null && !inboxes.includes(inbox)) return false;
  if (teams !== null && (team === null || !teams.includes(team))) return false;
  return priorities === null || priorities.includes(priority ?? 'NONE');
}
