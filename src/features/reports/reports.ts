/** Reports: what happened in the conversations of a company, computed from counters that move with the events. */
import { refuseUnknown } from '../../platform/store/unknown-references.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { forbidden, invalid, type AppError } from '../../platform/values/errors.ts';
import { readOwningCompany } from '../companies/owning-company.ts';
import { readFigures, readPeriods } from './figures.ts';
import { coverRange, findPrevious, listStarts, readRange, readTimeZone } from './periods.ts';
import { countNow, findUnknownFilters, sumBySubject, sumFigures, sumPeriods, type Subject } from './queries.ts';
import {
  MAX_SUBJECTS,
  type BreakdownQuery,
  type Dimension,
  type Range,
  type ReportBreakdown,
  type ReportFigures,
  type ReportFilters,
  type ReportNow,
  type ReportQuery,
  type ReportSeries,
  type ReportSummary,
  type SeriesQuery,
} from './schemas.ts';

/** How long what is open now stays an answer: it is read often and by many, and all open conversations are counted for it. */
const NOW_MS = 3_000;

/** Returns a function that counts what is open now, and gives the callers of a company who see the same inboxes the same answer within some seconds. */
export function createNowReader(): (tenant: Tenant) => Promise<ReportNow> {
  const answers = new Map<string, Promise<ReportNow>>();
  return ({ read }) => {
    const whose = [read.companyId, ...(read.sight ? ['of', ...read.sight.inboxes] : [])].join();
    const known = answers.get(whose);
    if (known) return known;
    const counted = countNow(read);
    answers.set(whose, counted);
    const forget = (): boolean => answers.delete(whose);
    // Failure policy: the callers that share this answer get its error.
    counted.then(() => setTimeout(forget, NOW_MS).unref(), forget);
    return counted;
  };
}

/** Throws UNKNOWN_REFERENCE for a filter that names no record. */
export async function readSummary(tenant: Tenant, { from, to, ...filters }: ReportQuery): Promise<ReportSummary> {
  const range = readRange(pickRange(from, to));
  const subject = await readSubject(tenant, filters);
  const [figures, previous] = await Promise.all([
    findFigures(tenant, subject, range),
    findFigures(tenant, subject, findPrevious(range)),
  ]);
  return { ...describeRange(range), figures, previous };
}

async function findFigures({ read }: Tenant, subject: Subject, range: Range): Promise<ReportFigures> {
  const sums = await sumFigures(read, subject, { range, stretches: coverRange(range) });
  return readFigures(sums, subject.dimension === 'AGENT');
}

/** Throws UNKNOWN_REFERENCE for a filter that names no record. */
export async function readSeries(tenant: Tenant, query: SeriesQuery): Promise<ReportSeries> {
  const { from, to, by = 'DAY', time_zone: asked, ...filters } = query;
  const range = readRange(pickRange(from, to));
  const timeZone = readTimeZone(asked ?? (await readOwningCompany(tenant.read)).general_config.time_zone);
  const starts = listStarts(range, by, timeZone);
  const subject = await readSubject(tenant, filters);
  const now = new Date();
  const sums = await sumPeriods(tenant.read, subject, {
    bounds: [...starts, range.to],
    later: range.to < now ? coverRange({ from: range.to, to: readRange({}, now).to }) : [],
  });
  const hasBacklog = subject.dimension === 'ALL' || subject.dimension === 'INBOX';
  return { ...describeRange(range), by, time_zone: timeZone, periods: readPeriods(sums, starts, { hasBacklog, now }) };
}

export async function readBreakdown(
  { read }: Tenant,
  { from, to, by = 'USER' }: BreakdownQuery,
): Promise<ReportBreakdown> {
  if (read.sight && by !== 'INBOX') throw ofHiddenInboxes('by');
  const range = readRange(pickRange(from, to));
  const found = await sumBySubject(read, by, { range, stretches: coverRange(range), most: MAX_SUBJECTS + 1 });
  return {
    ...describeRange(range),
    by,
    is_complete: found.length <= MAX_SUBJECTS,
    rows: found
      .slice(0, MAX_SUBJECTS)
      .map(({ subject, name, sums }) => ({ id: subject, name, figures: readFigures(sums, by === 'AGENT') })),
  };
}

const describeRange = ({ from, to }: Range): { from: string; to: string } => ({
  from: from.toISOString(),
  to: to.toISOString(),
});

const pickRange = (from?: string, to?: string): { from?: string; to?: string } => ({
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
});

const DIMENSION_NAMES = {
  inbox: 'INBOX',
  team: 'TEAM',
  user: 'USER',
  agent: 'AGENT',
  campaign: 'CAMPAIGN',
  tag: 'TAG',
} as const satisfies Record<keyof ReportFilters, Dimension>;

/** Counters are kept for each record alone, so a report has one filter at most. */
async function readSubject({ read }: Tenant, filters: ReportFilters): Promise<Subject> {
  const given = Object.entries(filters) as [keyof ReportFilters, string][];
  const [first, second] = given;
  if (second) throw invalid(second[0], `cannot be combined with \`${first?.[0]}\`: a report has one filter`);
  refuseUnknown(await findUnknownFilters(read, filters));
  if (read.sight && first && first[0] !== 'inbox') throw ofHiddenInboxes(first[0]);
  if (first) return { dimension: DIMENSION_NAMES[first[0]], subjects: [first[1]] };
  return read.sight ? { dimension: 'INBOX', subjects: read.sight.inboxes } : { dimension: 'ALL', subjects: [''] };
}

/** The counters of a user, a team or a tag are those of all inboxes. */
const ofHiddenInboxes = (field: string): AppError =>
  forbidden(field, 'would count inboxes that you do not see; ask for the figures of an inbox');
