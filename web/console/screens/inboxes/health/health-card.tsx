/** Whether an inbox works: its traffic, what the network thinks of its number, the daily limit, and what failed lately. */
import type { Inbox, InboxHealth } from '@parley/sdk';
import type { ReactElement, ReactNode } from 'react';
import { useInboxHealth } from '../../../records/inboxes.ts';
import { formatMoment, formatNumber, formatShare } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Details } from '../../../ui/details.tsx';
import { Card } from '../../../ui/page.tsx';
import { Failure, Loading } from '../../../ui/state.tsx';
import { FailureList } from './failure-list.tsx';
import styles from './health.module.css';
import { HEALTH } from './texts.ts';

type Standing = NonNullable<InboxHealth['standing']>;

export function HealthCard({ inbox: { _id } }: { inbox: Inbox }): ReactElement {
  const texts = useTexts(HEALTH);
  const { data, error, refetch } = useInboxHealth(_id);
  return (
    <Card title={texts.title}>
      {data ? <Facts health={data} /> : error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />}
    </Card>
  );
}

function Facts({ health }: { health: InboxHealth }): ReactElement {
  const texts = useTexts(HEALTH);
  const { last_inbound_at, last_outbound_at, standing, daily_limit, failures, unreadable } = health;
  const moment = (at: string | null): string => (at === null ? texts.never : formatMoment(at));
  return (
    <Details
      layout="lines"
      items={[
        [texts.lastInbound, moment(last_inbound_at)],
        [texts.lastOutbound, moment(last_outbound_at)],
        standing !== undefined && [texts.quality, <Quality rating={standing.quality_rating} />],
        standing !== undefined && standing.sending !== null && [texts.sending, <Sending standing={standing} />],
        daily_limit !== null && [texts.dailyLimit, <DailyLimit limit={daily_limit} />],
        [texts.failures, <FailureList failures={failures} />],
        unreadable.length > 0 && [texts.unreadable, <UnreadableList items={unreadable} />],
      ]}
    />
  );
}

/** The reasons are in the words of the platform, because no text of ours covers what a foreign mail does wrong. */
function UnreadableList({ items }: { items: InboxHealth['unreadable'] }): ReactElement {
  return (
    <ul className={styles['causes']}>
      {items.map(({ reason, at }, index) => (
        <li key={index}>
          {reason} <span className={styles['code']}>({formatMoment(at)})</span>
        </li>
      ))}
    </ul>
  );
}

const QUALITY_TONES: Record<NonNullable<Standing['quality_rating']>, Tone> = {
  GREEN: 'good',
  YELLOW: 'warning',
  RED: 'danger',
};

function Quality({ rating }: { rating: Standing['quality_rating'] }): ReactElement {
  const texts = useTexts(HEALTH);
  if (rating === null) return <>{texts.noQuality}</>;
  return (
    <Fact badge={<Badge tone={QUALITY_TONES[rating]}>{texts[rating]}</Badge>}>
      {rating !== 'GREEN' && <p className={styles['advice']}>{texts.qualityAdvice}</p>}
    </Fact>
  );
}

const SENDING_TONES: Record<NonNullable<Standing['sending']>, Tone> = {
  AVAILABLE: 'good',
  LIMITED: 'warning',
  BLOCKED: 'danger',
};

/** The problems stand there in the words of the network, because only it knows what they mean. */
function Sending({ standing: { sending, problems } }: { standing: Standing }): ReactElement {
  const texts = useTexts(HEALTH);
  return (
    <Fact badge={sending !== null && <Badge tone={SENDING_TONES[sending]}>{texts[sending]}</Badge>}>
      {problems.map(({ at, code, description, solution }) => (
        <p key={`${at} ${code} ${description}`} className={styles['advice']}>
          {description} {solution} {code !== null && <span className={styles['code']}>({code})</span>}
        </p>
      ))}
    </Fact>
  );
}

function Fact({ badge, children }: { badge: ReactNode; children: ReactNode }): ReactElement {
  return (
    <div className={styles['fact']}>
      <div>{badge}</div>
      {children}
    </div>
  );
}

function DailyLimit({ limit }: { limit: NonNullable<InboxHealth['daily_limit']> }): ReactElement {
  const texts = useTexts(HEALTH);
  const { people, is_unlimited, used } = limit;
  const reached = texts.reached(used, formatNumber(used));
  if (people === null) return <>{`${is_unlimited ? texts.unlimited : texts.unknownLimit} ${reached}`}</>;
  const share = people === 0 ? 1 : used / people;
  return (
    <div className={styles['fact']}>
      <span>{texts.limit(formatNumber(people), formatNumber(used), formatShare(share))}</span>
      <meter
        className={styles['meter']}
        aria-label={texts.dailyLimit}
        value={Math.min(used, people)}
        max={people || 1}
      />
      {share >= 1 && <p className={styles['advice']}>{texts.limitReached}</p>}
    </div>
  );
}
