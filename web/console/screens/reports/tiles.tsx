/** The figures of a time, each with its change since as long a time before. */
import type { ReportsGetSeriesQuery } from '@parley/sdk';
import type { ReactElement, ReactNode } from 'react';
import { useReportSummary } from '../../records/reports.ts';
import { formatNumber, formatScore, formatSeconds, formatShare } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Failure, Loading } from '../../ui/state.tsx';
import styles from './reports.module.css';
import { opensNothing } from './period.ts';
import { REPORTS } from './texts.ts';

export function Tiles({ query }: { query: ReportsGetSeriesQuery }): ReactElement {
  const texts = useTexts(REPORTS);
  const { by: _by, time_zone: _zone, ...asked } = query;
  const { data, error, refetch } = useReportSummary(asked);
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
  const { figures: now, previous: before } = data;
  const isAi = now.answered + now.handed_over + before.answered + before.handed_over > 0;
  return (
    <dl className={styles['tiles']}>
      {opensNothing(query) ? (
        <Counted name={texts.replies} now={now.reply_time.count} before={before.reply_time.count} isGood />
      ) : (
        <Counted name={texts.opened} now={now.opened} before={before.opened} />
      )}
      <Counted name={texts.closed} now={now.resolution.count} before={before.resolution.count} isGood />
      <Timed name={texts.firstResponse} now={now.first_response.median} before={before.first_response.median} />
      <Timed name={texts.resolution} now={now.resolution.median} before={before.resolution.median} />
      {isAi ? (
        <Counted name={texts.answered} now={now.answered} before={before.answered}>
          {texts.handedOver(now.handed_over)}
        </Counted>
      ) : (
        <Timed name={texts.replyTime} now={now.reply_time.median} before={before.reply_time.median} />
      )}
      {now.sla_missed + before.sla_missed > 0 && (
        <Counted name={texts.slaMissed} now={now.sla_missed} before={before.sla_missed} isBad />
      )}
      {now.csat.sent + before.csat.sent > 0 && (
        <Tile name={texts.satisfaction} value={now.csat.average === null ? '–' : formatScore(now.csat.average)}>
          {texts.ratedOf(formatNumber(now.csat.rated), formatNumber(now.csat.sent))}
        </Tile>
      )}
    </dl>
  );
}

interface CountedProps {
  name: string;
  now: number;
  before: number;
  /** More is better. */
  isGood?: boolean;
  /** Less is better. */
  isBad?: boolean;
  /** Shown instead of the change. */
  children?: string;
}

function Counted({ name, now, before, isGood = false, isBad = false, children }: CountedProps): ReactElement {
  const texts = useTexts(REPORTS);
  const change = before === 0 ? null : (now - before) / before;
  return (
    <Tile name={name} value={formatNumber(now)}>
      {children ?? (
        <>
          {change === null ? (
            '–'
          ) : (
            <Change
              change={change}
              isGood={change > 0 ? isGood : change < 0 && isBad}
              text={formatShare(Math.abs(change))}
            />
          )}{' '}
          {texts.previous}
        </>
      )}
    </Tile>
  );
}

function Timed({ name, now, before }: { name: string; now: number | null; before: number | null }): ReactElement {
  const texts = useTexts(REPORTS);
  const change = now === null || before === null ? null : now - before;
  return (
    <Tile name={name} value={now === null ? '–' : formatSeconds(now)}>
      {change !== null && change !== 0 && (
        <Change change={change} isGood={change < 0} text={formatSeconds(Math.abs(change))} />
      )}{' '}
      {texts.median}
    </Tile>
  );
}

/** The arrow says it to those who see, the sign to all others. */
function Change({ change, isGood, text }: { change: number; isGood: boolean; text: string }): ReactElement {
  const texts = useTexts(REPORTS);
  return (
    <span className={isGood ? styles['good'] : styles['change']}>
      <span aria-hidden="true">{change < 0 ? '↓ ' : '↑ '}</span>
      <span className="unseen">{change < 0 ? texts.less : texts.more} </span>
      {text}
    </span>
  );
}

function Tile({ name, value, children }: { name: string; value: string; children: ReactNode }): ReactElement {
  return (
    <div className={styles['tile']}>
      <dt>{name}</dt>
      <dd className={styles['value']}>{value}</dd>
      <dd className={styles['about']}>{children}</dd>
    </div>
  );
}
