/** Computes the figures of reports from sums of counters. */
import { TIMES } from './facts-sql.ts';
import type { PeriodSum, Sum } from './queries.ts';
import type { Csat, ReportFigures, ReportPeriod, Times } from './schemas.ts';

const MILLIONTHS = 1e6;

/** `isAgent`: the sums are those of one AI agent, which has costs. */
export function readFigures(sums: readonly Sum[], isAgent: boolean): ReportFigures {
  const count = (kind: string): number => sums.find((sum) => sum.kind === kind)?.count ?? 0;
  const costs = sums.filter(({ kind }) => kind === 'COST').toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
  return {
    opened: count('OPENED'),
    reopened: count('REOPENED'),
    first_response: readTimes(sums, 'FIRST_REPLY'),
    reply_time: readTimes(sums, 'REPLIED'),
    resolution: readTimes(sums, 'CLOSED'),
    answered: count('ANSWERED'),
    handed_over: count('HANDED_OVER'),
    sla_missed: count('SLA_MISSED'),
    csat: readCsat((kind) => sums.find((sum) => sum.kind === kind) ?? NOTHING),
    costs: isAgent ? costs.map(({ currency, total }) => ({ currency, amount: total / MILLIONTHS })) : null,
  };
}

const NOTHING = { count: 0, total: 0 };

function readCsat(find: (kind: string) => { count: number; total: number }): Csat {
  const { count: rated, total } = find('CSAT_RATED');
  return {
    sent: find('CSAT_SENT').count,
    rated,
    average: rated > 0 ? Math.round((total / rated) * 100) / 100 : null,
    satisfied: find('CSAT_SATISFIED').count,
  };
}

function readTimes(sums: readonly Sum[], kind: string): Times {
  const { count = 0, total = 0 } = sums.find((sum) => sum.kind === kind) ?? {};
  const average = count > 0 ? Math.round(total / count) : null;
  // One duration is known exactly.
  if (count === 1) return { count, average, median: average, p90: average };
  const classes = sums.filter((sum) => sum.kind === kind + TIMES).toSorted((a, b) => a.bucket - b.bucket);
  return {
    count,
    average,
    median: readPercentile(classes, 0.5),
    p90: readPercentile(classes, 0.9),
  };
}

/** The shortest duration of a class in seconds; the inverse of the function report_bucket in sql/reports.sql. */
const readBound = (bucket: number): number => 2 ** (bucket / 8) - 1;

/** Returns the duration that this part of all does not exceed, as if those of a class were spread evenly over it. */
function readPercentile(classes: readonly Sum[], part: number): number | null {
  const wanted = part * classes.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  for (const { bucket, count } of classes) {
    if (before + count >= wanted && count > 0) {
      const from = readBound(bucket);
      return Math.round(from + ((readBound(bucket + 1) - from) * (wanted - before)) / count);
    }
    before += count;
  }
  return null;
}

/** Returns the figures of each period. `hasBacklog`: the place 0 of the sums has how many conversations are open now. */
export function readPeriods(
  sums: readonly PeriodSum[],
  starts: readonly Date[],
  { hasBacklog, now }: { hasBacklog: boolean; now: Date },
): ReportPeriod[] {
  const places = Map.groupBy(sums, ({ place }) => place);
  const find = (place: number, kind: string): { count: number; total: number } =>
    places.get(place)?.find((sum) => sum.kind === kind) ?? NOTHING;
  const change = (place: number): number =>
    find(place, 'OPENED').count +
    find(place, 'REOPENED').count -
    find(place, 'CLOSED').count -
    find(place, 'GONE').count;
  let open = find(0, 'OPEN').count - change(starts.length + 1);
  const periods = starts.map((start, index) => ({ start, place: index + 1 })).toReversed();
  return periods
    .map(({ start, place }) => {
      const openAtEnd = hasBacklog && start <= now ? open : null;
      open -= change(place);
      return { ...describePeriod((kind) => find(place, kind)), start: start.toISOString(), open_at_end: openAtEnd };
    })
    .toReversed();
}

function describePeriod(
  find: (kind: string) => { count: number; total: number },
): Omit<ReportPeriod, 'start' | 'open_at_end'> {
  const average = (kind: string): number | null => {
    const { count, total } = find(kind);
    return count > 0 ? Math.round(total / count) : null;
  };
  return {
    opened: find('OPENED').count,
    reopened: find('REOPENED').count,
    closed: find('CLOSED').count,
    replies: find('REPLIED').count,
    first_response: average('FIRST_REPLY'),
    reply_time: average('REPLIED'),
    resolution: average('CLOSED'),
    answered: find('ANSWERED').count,
    handed_over: find('HANDED_OVER').count,
    sla_missed: find('SLA_MISSED').count,
    csat: readCsat(find).average,
    rated: find('CSAT_RATED').count,
  };
}
