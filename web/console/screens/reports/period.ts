/** The time and the filter of a report, which stand in the address. */
import type { ReportsGetSeriesQuery } from '@parley/sdk';
import { useMemo } from 'react';
import { useSession } from '../../session/session.ts';
import { useListParams } from '../../ui/list-params.ts';

export const PERIODS = ['TODAY', 'WEEK', 'FORTNIGHT', 'MONTH', 'QUARTER', 'YEAR'] as const;
export type Period = (typeof PERIODS)[number];

interface Length {
  days: number;
  by: NonNullable<ReportsGetSeriesQuery['by']>;
}

const LENGTHS: Record<Period, Length> = {
  TODAY: { days: 1, by: 'HOUR' },
  WEEK: { days: 7, by: 'DAY' },
  FORTNIGHT: { days: 14, by: 'DAY' },
  MONTH: { days: 30, by: 'DAY' },
  QUARTER: { days: 90, by: 'DAY' },
  YEAR: { days: 365, by: 'WEEK' },
};

/** What a report can be limited to, with the comparison that lists them. */
export const DIMENSIONS = { inbox: 'INBOX', team: 'TEAM', user: 'USER', agent: 'AGENT', tag: 'TAG' } as const;
export type FilterKind = keyof typeof DIMENSIONS;
const FILTER_KINDS = Object.keys(DIMENSIONS) as FilterKind[];
/** The filters of users who see only some inboxes: the figures of the others include the rest. */
const FILTERED_BY_SOME: readonly FilterKind[] = ['inbox'];

/** A filter as the address has it: inbox:<id>. */
export const writeFilter = (kind: FilterKind, id: string): string => `${kind}:${id}`;

export interface ReportParams {
  period: Period;
  by: Length['by'];
  /** "" for none. */
  filter: string;
  filterKind: FilterKind | null;
  query: ReportsGetSeriesQuery;
  choosePeriod(this: void, period: Period): void;
  chooseFilter(this: void, filter: string): void;
}

export function useReportParams(): ReportParams {
  const { params, set } = useListParams();
  const asked = params.get('period');
  const period = PERIODS.find((each) => each === asked) ?? 'FORTNIGHT';
  const filter = params.get('filter') ?? '';
  const kinds = useSession().seesSome ? FILTERED_BY_SOME : FILTER_KINDS;
  const kind = kinds.find((each) => filter.startsWith(`${each}:`)) ?? null;
  const { days, by } = LENGTHS[period];
  const from = findStart(days);
  const query = useMemo(
    () => ({ from, by, time_zone: findTimeZone(), ...(kind && { [kind]: filter.slice(kind.length + 1) }) }),
    [from, by, kind, filter],
  );
  return {
    period,
    by,
    filter: kind ? filter : '',
    filterKind: kind,
    query,
    choosePeriod: (chosen) => set('period', chosen),
    chooseFilter: (chosen) => set('filter', chosen),
  };
}

/** The days are those of the browser, like all times in the console; today is the last of them. */
function findStart(days: number): string {
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - days + 1);
  return start.toISOString();
}

const findTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the tag of a filter; null for another filter. */
export const readTag = (filter: string): string | null =>
  filter.startsWith('tag:') ? filter.slice('tag:'.length) : null;

/** Returns the filter for the records of a comparison; undefined where there is none. */
export const findFilterKind = (dimension: string): FilterKind | undefined =>
  FILTER_KINDS.find((kind) => DIMENSIONS[kind] === dimension);

/** People and agents open no conversations, so a report about one of them shows replies instead. */
export const opensNothing = ({ user, agent }: ReportsGetSeriesQuery): boolean =>
  user !== undefined || agent !== undefined;
