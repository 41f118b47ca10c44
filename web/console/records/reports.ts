/** Figures of reports. What is open now is read again while it is shown; the rest when a report is opened. */
import type {
  ReportBreakdown,
  ReportNow,
  ReportsGetBreakdownQuery,
  ReportsGetSeriesQuery,
  ReportSeries,
  ReportsGetSummaryQuery,
  ReportSummary,
} from '@parley/sdk';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';

const NOW_EVERY_MS = 15_000;
const REPORTS = 'reports';

export const useReportNow = (): UseQueryResult<ReportNow> =>
  useQuery({
    queryKey: [REPORTS, 'now'],
    queryFn: ({ signal }) => parley.reports.getNow({ signal }),
    refetchInterval: NOW_EVERY_MS,
  });

export const useReportSummary = (query: ReportsGetSummaryQuery): UseQueryResult<ReportSummary> =>
  useQuery({
    queryKey: [REPORTS, 'summary', query],
    queryFn: ({ signal }) => parley.reports.getSummary(query, { signal }),
    placeholderData: keepPreviousData,
  });

export const useReportSeries = (query: ReportsGetSeriesQuery): UseQueryResult<ReportSeries> =>
  useQuery({
    queryKey: [REPORTS, 'series', query],
    queryFn: ({ signal }) => parley.reports.getSeries(query, { signal }),
    placeholderData: keepPreviousData,
  });

export const useReportBreakdown = (query: ReportsGetBreakdownQuery): UseQueryResult<ReportBreakdown> =>
  useQuery({
    queryKey: [REPORTS, 'breakdown', query],
    queryFn: ({ signal }) => parley.reports.getBreakdown(query, { signal }),
    placeholderData: keepPreviousData,
  });
