import { many, one } from '../../platform/store/db.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { findUnknown } from '../../platform/store/unknown-references.ts';
import { spreadFacts } from './facts-sql.ts';
import type { Dimension, Range, ReportFilters, ReportNow, Stretch } from './schemas.ts';

/** Whose figures are read: those of the company (ALL, with one empty subject), or of records or tags of one kind, added up. */
export interface Subject {
  dimension: Dimension | 'ALL';
  subjects: readonly string[];
}

/** A sum of counters. */
export interface Sum {
  kind: string;
  currency: string;
  /** -1, or a class of durations. */
  bucket: number;
  count: number;
  total: number;
}

const SUMS = 'kind, currency, bucket, sum(count)::float8 as count, sum(total)::float8 as total';
const STRETCHES = `unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) s (grain, since, until)`;
const PENDING = spreadFacts('(select * from report_facts where company_id = $1 and at >= $6 and at < $7)');

const stretchValues = (stretches: readonly Stretch[], { from, to }: Range): unknown[] => [
  stretches.map(({ grain }) => grain),
  stretches.map((each) => each.from),
  stretches.map((each) => each.to),
  from,
  to,
];

/** Adds up the counters of a subject and the facts that wait to be counted. */
export function sumFigures(
  tx: TenantRead,
  { dimension, subjects }: Subject,
  { range, stretches }: { range: Range; stretches: readonly Stretch[] },
): Promise<Sum[]> {
  return many(tx, {
    name: 'reports.sumFigures',
    text: `select ${SUMS} from (
        select c.kind, c.currency, c.bucket, c.count, c.total from ${STRETCHES}
          join report_counters c on c.company_id = $1 and c.dimension = $2 and c.subject = any($8::text[]) and c.kind = any($9::text[])
            and c.grain = s.grain and c.at >= s.since and c.at < s.until
        union all
        select kind, currency, bucket, count, total from (${PENDING}) p where dimension = $2 and subject = any($8) and kind = any($9::text[])
      ) counted group by kind, currency, bucket`,
    values: [tx.companyId, dimension, ...stretchValues(stretches, range), subjects, FIGURE_KINDS],
  });
}

const FIGURE_KINDS = [
  'OPENED',
  'REOPENED',
  'CLOSED',
  'CLOSED_TIMES',
  'FIRST_REPLY',
  'FIRST_REPLY_TIMES',
  'REPLIED',
  'REPLIED_TIMES',
  'ANSWERED',
  'HANDED_OVER',
  'COST',
  'CSAT_SENT',
  'CSAT_RATED',
  'CSAT_SATISFIED',
  'SLA_MISSED',
];

/** Adds up the counters of all subjects of a dimension. `most` limits the subjects to those with the most activity. */
export function sumBySubject(
  tx: TenantRead,
  dimension: Dimension,
  { range, stretches, most }: { range: Range; stretches: readonly Stretch[]; most: number },
): Promise<{ subject: string; name: string | null; sums: Sum[] }[]> {
  return many(tx, {
    name: 'reports.sumBySubject',
    text: `with counted as materialized (
        select subject, ${SUMS} from (
          select c.subject, c.kind, c.currency, c.bucket, c.count, c.total from ${STRETCHES}
            join report_counters c on c.company_id = $1 and c.dimension = $2 and c.kind = any($8::text[])
              and c.grain = s.grain and c.at >= s.since and c.at < s.until
          union all
          select subject, kind, currency, bucket, count, total from (${PENDING}) p where dimension = $2 and kind = any($8::text[])
        ) counted group by subject, kind, currency, bucket
      ), busiest as (
        select subject, sum(count) filter (where kind in ('OPENED', 'CLOSED', 'REPLIED', 'ANSWERED', 'HANDED_OVER')) as activity
        from counted group by subject order by activity desc nulls last, subject limit $9
      )
      select b.subject, ${NAME} as name,
        (select json_agg(json_build_object('kind', kind, 'currency', currency, 'bucket', bucket, 'count', count, 'total', total))
          from counted c where c.subject = b.subject) as sums
      from busiest b order by b.activity desc nulls last, b.subject`,
    values: [tx.companyId, dimension, ...stretchValues(stretches, range), FIGURE_KINDS, most],
    planEachTime: true,
  });
}

const nameIn = (dimension: Dimension, table: string): string =>
  `when '${dimension}' then (select name from ${table} r where r.company_id = $1 and r._id = b.subject)`;
const NAME = `case $2 when 'TAG' then b.subject ${nameIn('INBOX', 'inboxes')} ${nameIn('TEAM', 'teams')} ${nameIn('USER', 'users')}
  ${nameIn('AGENT', 'agents')} ${nameIn('CAMPAIGN', 'campaigns')} end`;

/** A sum of one period, counted from 1; after the last one is what has happened since then. */
export interface PeriodSum {
  place: number;
  kind: string;
  count: number;
  total: number;
}

const PERIOD_KINDS = FIGURE_KINDS.filter((kind) => !kind.endsWith('_TIMES') && kind !== 'COST').concat('GONE');

/**
 * Adds up the counters of each period, and those since then, of which `later` has the stretches. `bounds` has the start of each period and
 * the end of the last one. The open conversations are counted in the same moment, as OPEN of the place 0.
 */
export function sumPeriods(
  tx: TenantRead,
  { dimension, subjects }: Subject,
  { bounds, later }: { bounds: readonly Date[]; later: readonly Stretch[] },
): Promise<PeriodSum[]> {
  const range = { from: bounds[0] ?? new Date(0), to: bounds.at(-1) ?? new Date(0) };
  const isCounted = dimension === 'ALL' || dimension === 'INBOX';
  return many(tx, {
    name: 'reports.sumPeriods',
    text: `select width_bucket(at, $8::timestamptz[])::int as place, kind, sum(count)::float8 as count, sum(total)::float8 as total from (
        select c.at, c.kind, c.count, c.total from report_counters c where c.company_id = $1 and c.dimension = $2 and c.subject = any($9::text[])
          and c.kind = any($10::text[]) and c.grain = 'HOUR' and c.at >= $6 and c.at < $7 and c.bucket = -1
        union all
        select c.at, c.kind, c.count, c.total from ${STRETCHES}
          join report_counters c on c.company_id = $1 and c.dimension = $2 and c.subject = any($9) and c.kind = any($10::text[])
            and c.grain = s.grain and c.at >= s.since and c.at < s.until
        union all
        select at, kind, count, total from (${spreadFacts('(select * from report_facts where company_id = $1 and at >= $6)')}) p
          where dimension = $2 and subject = any($9) and kind = any($10::text[])
      ) counted group by 1, 2
      union all
      select 0, 'OPEN', count(*)::float8, 0 from conversations
        where $11 and company_id = $1 and status <> 'CLOSED' and not is_test and ($2 = 'ALL' or inbox_id = any($9))`,
    values: [tx.companyId, dimension, ...stretchValues(later, range), bounds, subjects, PERIOD_KINDS, isCounted],
    planEachTime: true,
  });
}

const WAITING = `(select count(*)::int from conversation_activity where company_id = $1 and awaited_at is not null) as waiting,
  (select min(awaited_at) from conversation_activity where company_id = $1 and awaited_at is not null) as oldest_waiting_since`;
/** The same for a user who sees some inboxes: conversation_activity has no policy. */
const WAITING_SEEN = 'count(waiting_since)::int as waiting, min(waiting_since) as oldest_waiting_since';

/** Counts what is open at this moment. */
export function countNow(tx: TenantRead): Promise<ReportNow> {
  return one(tx, {
    name: `reports.countNow${tx.sight ? '.seen' : ''}`,
    text: `select count(*)::int as open, count(*) filter (where owner_id is null)::int as unassigned, ${tx.sight ? WAITING_SEEN : WAITING},
        (select count(*)::int from users where company_id = $1 and status = 'ACTIVE' and removed_at is null) as users,
        (select count(*)::int from users where company_id = $1 and status = 'ACTIVE' and removed_at is null and availability = 'ONLINE') as users_online
      from conversations where company_id = $1 and status <> 'CLOSED'`,
    values: [tx.companyId],
  });
}

const TABLES = {
  inbox: 'inboxes',
  team: '(select company_id, _id from teams where removed_at is null) t',
  user: '(select company_id, _id from users where removed_at is null) u',
  agent: 'agents',
  campaign: 'campaigns',
} as const;

/** Returns the names of the filters whose records do not exist. */
export function findUnknownFilters(tx: TenantRead, filters: ReportFilters): Promise<string[]> {
  const { inbox = null, team = null, user = null, agent = null, campaign = null } = filters;
  return findUnknown(tx, {
    name: 'reports.findUnknown',
    tables: TABLES,
    asked: { inbox, team, user, agent, campaign },
  });
}
