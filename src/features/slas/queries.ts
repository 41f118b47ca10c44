import { exec, many, oneValue } from '../../platform/store/db.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import type { Clocks, Timed } from './schemas.ts';

export const HAS_TURNS = 'exists (select from sla_turns where due_at <= now())';
export const HAS_NOTICES = 'exists (select from conversation_slas where notice_at <= now())';

/** Returns the next company after this one that has turns, so that companies take turns; null when there is none. */
export function findCompanyWithTurns(tx: SystemTx, after: string): Promise<string | null> {
  return oneValue(tx, {
    name: 'slas.findCompanyWithTurns',
    text: `select (select company_id from sla_turns where company_id > $1 and due_at <= now() order by company_id limit 1) as company`,
    values: [after],
  });
}

export function findCompanyWithNotices(tx: SystemTx, after: string): Promise<string | null> {
  return oneValue(tx, {
    name: 'slas.findCompanyWithNotices',
    text: `with recursive companies as (
        (select company_id from conversation_slas where company_id > $1 and notice_at is not null order by company_id limit 1)
        union all
        select (select n.company_id from conversation_slas n where n.company_id > c.company_id and n.notice_at is not null
          order by n.company_id limit 1) from companies c where c.company_id is not null
      )
      select (select company_id from companies c
        where exists (select from conversation_slas s where s.company_id = c.company_id and s.notice_at <= now()) limit 1) as company`,
    values: [after],
  });
}

/** Puts off the work of a company that has failed, so that it is not tried without end. */
export async function putOff(tx: SystemTx, company: string, seconds: number): Promise<void> {
  await exec(tx, {
    name: 'slas.putOffTurns',
    text: `update sla_turns set due_at = now() + make_interval(secs => $2) where company_id = $1 and _id = any(array(
      select _id from sla_turns where company_id = $1 and due_at <= now() for no key update skip locked))`,
    values: [company, seconds],
  });
  await exec(tx, {
    name: 'slas.putOffNotices',
    text: `update conversation_slas set notice_at = now() + make_interval(secs => $2) where company_id = $1 and conversation_id = any(array(
      select conversation_id from conversation_slas where company_id = $1 and notice_at <= now() for no key update skip locked))`,
    values: [company, seconds],
  });
}

/**
 * Takes the oldest turns of the company, and returns their locked conversations, of which changes meanwhile leave other turns. Those that
 * others are changing are left. The conversations are locked first, as in all transactions.
 */
export async function takeTurns(tx: TenantTx, most: number): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'slas.lockTurned',
    text: `select _id from conversations where company_id = $1 and _id = any(array(
        select conversation_id from sla_turns where company_id = $1 and due_at <= now() order by due_at limit $2))
      order by _id for no key update skip locked`,
    values: [tx.companyId, most],
  });
  const ids = rows.map(({ _id }) => _id);
  await exec(tx, {
    name: 'slas.takeTurns',
    text: 'delete from sla_turns where company_id = $1 and conversation_id = any($2::text[])',
    values: [tx.companyId, ids],
  });
  return ids;
}

export type TimedConversation = Timed & { _id: string; clocks: Clocks | null };

/** Returns locked conversations with their clocks. */
export function findTimed(tx: TenantTx, ids: string[]): Promise<TimedConversation[]> {
  return many(tx, {
    name: 'slas.findTimed',
    text: `select v._id, v.status, priority_name(v.priority) as priority, v.inbox_id as inbox, v.team_id as team, v.waiting_since,
        history_time(coalesce(v.opened_at, v.created_at)) as begun_at, v.first_reply_at,
        has_blocked_contact(v.company_id, v._id) as is_blocked,
        (select json_build_object('time_zone', h.time_zone, 'days', h.days, 'special_dates', h.special_dates)
          from inboxes i join business_hours h on h.company_id = i.company_id and h._id = i.business_hours
          where i.company_id = v.company_id and i._id = v.inbox_id) as hours,
        case when s.conversation_id is not null then json_build_object('policy', s.policy_id, 'begun_at', history_time(s.begun_at),
          'opened_at', history_time(s.opened_at), 'is_held', s.is_held, 'resumed_at', history_time(s.resumed_at),
          'first_reply_due_at', history_time(s.first_reply_due_at), 'next_reply_due_at', history_time(s.next_reply_due_at),
          'close_due_at', history_time(s.close_due_at), 'breached_at', history_time(s.breached_at)) end as clocks
      from conversations v left join conversation_slas s on s.company_id = v.company_id and s.conversation_id = v._id
      where v.company_id = $1 and v._id = any($2::text[]) order by v._id`,
    values: [tx.companyId, ids],
  });
}

export function removeClocks(tx: TenantTx, conversations: string[]): Promise<number> {
  return exec(tx, {
    name: 'slas.removeClocks',
    text: 'delete from conversation_slas where company_id = $1 and conversation_id = any($2::text[])',
    values: [tx.companyId, conversations],
  });
}

/** Stores clocks, and when the work looks at them again. */
export function storeClocks(tx: TenantTx, set: { conversation: string; clocks: Clocks }[]): Promise<number> {
  const clocks = set.map((each) => each.clocks);
  return exec(tx, {
    name: 'slas.storeClocks',
    text: `insert into conversation_slas as s (company_id, conversation_id, policy_id, begun_at, opened_at, is_held, resumed_at,
        first_reply_due_at, next_reply_due_at, close_due_at, due_at, breached_at, notice_at)
      select $1, n.conversation_id, n.policy_id, n.begun_at, n.opened_at, n.is_held, n.resumed_at, n.first, n.next, n.closing,
        least(n.first, n.next, n.closing), n.breached_at, (select min(at) from unnest(array[n.first, n.next, n.closing]) at
          where at > coalesce(n.breached_at, '-infinity'))
      from unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::boolean[], $7::timestamptz[],
        $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[])
        as n (conversation_id, policy_id, begun_at, opened_at, is_held, resumed_at, first, next, closing, breached_at)
      order by n.conversation_id
      on conflict (company_id, conversation_id) do update set (policy_id, begun_at, opened_at, is_held, resumed_at,
          first_reply_due_at, next_reply_due_at, close_due_at, due_at, breached_at, notice_at)
        = row(excluded.policy_id, excluded.begun_at, excluded.opened_at, excluded.is_held, excluded.resumed_at,
          excluded.first_reply_due_at, excluded.next_reply_due_at, excluded.close_due_at, excluded.due_at, excluded.breached_at, excluded.notice_at)`,
    values: [
      tx.companyId,
      set.map(({ conversation }) => conversation),
      clocks.map(({ policy }) => policy),
      clocks.map(({ begun_at }) => begun_at),
      clocks.map(({ opened_at }) => opened_at),
      clocks.map(({ is_held }) => is_held),
      clocks.map(({ resumed_at }) => resumed_at),
      clocks.map(({ first_reply_due_at }) => first_reply_due_at),
      clocks.map(({ next_reply_due_at }) => next_reply_due_at),
      clocks.map(({ close_due_at }) => close_due_at),
      clocks.map(({ breached_at }) => breached_at),
    ],
  });
}

/** Locks conversations whose targets are missed and whose events have not been told yet. Those that others are changing are left. */
export async function lockMissed(tx: TenantTx, most: number): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'slas.lockMissed',
    text: `select v._id from conversation_slas s join conversations v on v.company_id = s.company_id and v._id = s.conversation_id
      where s.company_id = $1 and s.notice_at <= now() order by s.notice_at limit $2 for no key update of v skip locked`,
    values: [tx.companyId, most],
  });
  return rows.map(({ _id }) => _id);
}

/**
 * Notes that targets of these locked conversations are missed, and returns those of which it was not noted yet. The work looks again when the
 * next target is due.
 */
export async function noteMissed(tx: TenantTx, conversations: string[]): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'slas.noteMissed',
    text: `update conversation_slas set (breached_at, notice_at) = (select max(at) filter (where at <= now()), min(at) filter (where at > now())
        from unnest(array[first_reply_due_at, next_reply_due_at, close_due_at]) at)
      where company_id = $1 and conversation_id = any($2::text[]) and notice_at <= now() and due_at <= now()
      returning conversation_id as _id`,
    values: [tx.companyId, conversations],
  });
  return rows.map(({ _id }) => _id);
}
