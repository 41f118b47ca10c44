/** The course of a time: what was opened and closed, and what stayed open or how long contacts waited. */
import type { ReportSeries } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useReportSeries } from '../../records/reports.ts';
import { formatDayMonth, formatNumber, formatSeconds, formatTime } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { TimeChart, type Line } from '../../ui/charts/time-chart.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import { opensNothing, type ReportParams } from './period.ts';
import styles from './reports.module.css';
import { COURSE_NAMES, REPORTS } from './texts.ts';

export function Charts({ query, filterKind }: Pick<ReportParams, 'query' | 'filterKind'>): ReactElement {
  const texts = useTexts(REPORTS);
  const courses = useTexts(COURSE_NAMES);
  const { data: series, error, refetch } = useReportSeries(query);
  if (!series) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
  const { periods, by } = series;
  const shared = {
    starts: periods.map(({ start }) => start),
    formatStart: by === 'HOUR' ? formatTime : formatDayMonth,
  };
  const counts = { ...shared, formatValue: formatNumber, isCount: true };
  const happened: Line[] = [
    opensNothing(query) ? pick(periods, texts.replies, 'replies') : pick(periods, texts.opened, 'opened'),
    pick(periods, texts.closed, 'closed'),
  ];
  const hasBacklog = filterKind === null || filterKind === 'inbox';
  return (
    <div className={styles['charts']}>
      <TimeChart {...counts} title={courses[by]} lines={happened} />
      {hasBacklog ? (
        <TimeChart {...counts} title={texts.backlog} lines={[pick(periods, texts.openAtEnd, 'open_at_end')]} />
      ) : (
        <TimeChart
          {...shared}
          formatValue={formatSeconds}
          isCount={false}
          title={texts.waits}
          lines={[pick(periods, texts.firstResponse, 'first_response'), pick(periods, texts.replyTime, 'reply_time')]}
        />
      )}
    </div>
  );
}

type Periods = ReportSeries['periods'];

const pick = (periods: Periods, label: string, key: Exclude<keyof Periods[number], 'start'>): Line => ({
  label,
  values: periods.map((period) => period[key]),
});
