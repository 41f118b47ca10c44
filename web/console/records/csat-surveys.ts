/** How contacts rated their conversations. */
import type { CsatSurvey, CsatSurveysListQuery } from '@parley/sdk';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, useFeed, type Feed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const OF_CONVERSATION = 'csat-surveys';
const RATED = 'csat-ratings';

export const useSurveys = (conversation: string): FeedView<CsatSurvey> =>
  useFeed([OF_CONVERSATION, conversation], (after, signal) =>
    parley.csatSurveys.list({ conversation, limit: 50, skipCount: true, after }, { signal }),
  );

export type RatingFilter = Pick<CsatSurveysListQuery, 'inbox' | 'user' | 'agent'>;

/** Lists the surveys that were answered, of the conversations that were closed last. */
export const useRatings = (filter: RatingFilter): FeedView<CsatSurvey> =>
  useFeed(
    [RATED, filter],
    (after, signal) =>
      parley.csatSurveys.list({ ...filter, rated: true, limit: 10, skipCount: true, after }, { signal }),
    { isLive: false },
  );

const fits = (survey: CsatSurvey, { inbox, user, agent }: RatingFilter): boolean =>
  (inbox === undefined || survey.inbox === inbox) &&
  (user === undefined || survey.user === user) &&
  (agent === undefined || survey.agent === agent);

/** Shows a survey that was sent or answered. */
export function showSurvey(survey: CsatSurvey): void {
  const place = (feed: Feed<CsatSurvey>): Feed<CsatSurvey> => placeInFeed(feed, survey, ({ createdAt }) => createdAt);
  changeFeeds<CsatSurvey>([OF_CONVERSATION, survey.conversation], place);
  if (survey.score === null) return;
  changeFeeds<CsatSurvey>([RATED], (feed, [, filter]) => (fits(survey, filter as RatingFilter) ? place(feed) : feed));
}

export const rereadSurveys = (): void => void queries.invalidateQueries({ queryKey: [OF_CONVERSATION] });
