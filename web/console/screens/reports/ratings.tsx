/** What contacts said about their conversations, the last closed first. */
import type { CsatSurvey } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useAgents, useUser } from '../../records/company.ts';
import { useRatings, type RatingFilter } from '../../records/csat-surveys.ts';
import { formatMoment } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { OpenConversationLink } from '../../ui/open-conversation-link.tsx';
import { Failure } from '../../ui/state.tsx';
import { Stars } from '../../ui/stars.tsx';
import { COMMON } from '../../ui/texts.ts';
import type { ReportParams } from './period.ts';
import styles from './reports.module.css';
import { REPORTS } from './texts.ts';

/** Nothing is shown before the first rating, and for filters that single ratings do not have. */
export function Ratings({ query, filterKind }: Pick<ReportParams, 'query' | 'filterKind'>): ReactElement | null {
  const { inbox, user, agent } = query;
  if (filterKind === 'team' || filterKind === 'tag') return null;
  return <List filter={{ ...(inbox && { inbox }), ...(user && { user }), ...(agent && { agent }) }} />;
}

function List({ filter }: { filter: RatingFilter }): ReactElement | null {
  const texts = useTexts(REPORTS);
  const common = useTexts(COMMON);
  const feed = useRatings(filter);
  const error = feed.error ?? feed.moreError;
  if (feed.items.length === 0 && !error) return null;
  return (
    <section className={styles['box']} aria-label={texts.ratings}>
      <header className={styles['boxHead']}>
        <h2>{texts.ratings}</h2>
      </header>
      <ul className={styles['ratings']}>
        {feed.items.map((survey) => (
          <Rating key={survey._id} survey={survey} />
        ))}
      </ul>
      {error && <Failure error={error} onRetry={feed.error ? feed.reread : feed.loadMore} />}
      {feed.hasMore && !error && (
        <p className={styles['note']}>
          <Button kind="quiet" isBusy={feed.isLoadingMore} onClick={feed.loadMore}>
            {common.loadMore}
          </Button>
        </p>
      )}
    </section>
  );
}

function Rating({
  survey: { score, comment, user, agent, rated_at, conversation },
}: {
  survey: CsatSurvey;
}): ReactElement {
  const texts = useTexts(REPORTS);
  const person = useUser(user);
  const rated = useAgents().find(({ _id }) => _id === agent) ?? person;
  return (
    <li>
      {score !== null && <Stars score={score} />}
      <span className={styles['comment']} dir="auto">
        {comment}
      </span>
      <span className={styles['about']}>
        {rated && <bdi>{rated.name} · </bdi>}
        {rated_at !== null && <time dateTime={rated_at}>{formatMoment(rated_at)}</time>} ·{' '}
        <OpenConversationLink conversation={conversation} label={texts.openConversation} />
      </span>
    </li>
  );
}
