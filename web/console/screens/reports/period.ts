/** The time and the filter of a report, which stand in the address. */
import type { ReportsGetSeriesQuery } from '@parley/sdk';
import { useMemo } from 'react';
import { useSession } from '../../session/session.ts';
import { useListParams } from '../../ui/list-params.ts';
import { findRange, findUsualDates, PERIODS, type Dates, type Period } from './range.ts';

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
  /** The days that are asked for when they are chosen one by one. */
  dates: Dates;
  /** "" for none. */
  filter: string;
  filterKind: FilterKind | null;
  query: ReportsGetSeriesQuery;
  choosePeriod(this: void, period: Period): void;
  chooseDate(this: void, end: keyof Dates, day: string): void;
  chooseFilter(this: void, filter: string): void;
}

export function useReportParams(): ReportParams {
  const { params, set } = useListParams();
  const asked = params.get('period');
  const period = PERIODS.find((each) => each === asked) ?? 'FORTNIGHT';
  const filter = params.get('filter') ?? '';
  const kinds = useSession().seesSome ? FILTERED_BY_SOME : FILTER_KINDS;
  const kind = kinds.find((each) => filter.startsWith(`${each}:`)) ?? null;
  const usual = findUsualDates();
  const dates = { from: params.get('from') ?? usual.from, to: params.get('to') ?? usual.to };
  const { from, to, by } = findRange(period, dates);
  const query = useMemo(
    () => ({
      from,
      ...(to !== undefined && { to }),
      by,
      time_zone: findTimeZone(),
      ...(kind && { [kind]: filter.slice(kind.length + 1) }),
    }),
    [from, to, by, kind, filter],
  );
  return {
    period,
    dates,
    filter: kind ? filter : '',
    filterKind: kind,
    query,
    choosePeriod: (chosen) => set('period', chosen),
    chooseDate: set,
    chooseFilter: (chosen) => set('filter', chosen),
  };
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
