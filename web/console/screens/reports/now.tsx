/** What is open at this moment. */
import type { ReactElement, ReactNode } from 'react';
import { useReportNow } from '../../records/reports.ts';
import { formatNumber, formatSeconds } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Failure } from '../../ui/state.tsx';
import styles from './reports.module.css';
import { REPORTS } from './texts.ts';

export function Now(): ReactElement | null {
  const texts = useTexts(REPORTS);
  const { data: now, error, refetch } = useReportNow();
  if (!now) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <div className={styles['now']} />;
  const { oldest_waiting_since: since } = now;
  return (
    <section className={styles['now']} aria-label={texts.now}>
      <span className={styles['pulse']} aria-hidden="true" />
      <span>{texts.now}</span>
      <Count count={now.open}>{texts.open(now.open)}</Count>
      <Count count={now.waiting}>{texts.waiting}</Count>
      {since !== null && (
        <span>
          {texts.oldest} <b>{formatSeconds(Math.max(0, (Date.now() - Date.parse(since)) / 1_000))}</b>
        </span>
      )}
      <Count count={now.unassigned}>{texts.unassigned}</Count>
      <Count count={now.users_online}>{texts.online(now.users)}</Count>
    </section>
  );
}

function Count({ count, children }: { count: number; children: ReactNode }): ReactElement {
  return (
    <span>
      <b>{formatNumber(count)}</b> {children}
    </span>
  );
}
