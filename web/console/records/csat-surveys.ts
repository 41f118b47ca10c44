/** How contacts rated their conversations. */
import type { CsatSurvey, CsatSurveysListQuery } from '@parley/sdk';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, useFeed, type FeedView } from './feeds.ts';
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

/** Shows a survey that was sent or answered. */
export function showSurvey(survey: CsatSurvey): void {
  changeFeeds<CsatSurvey>([OF_CONVERSATION, survey.conversation], (feed) =>
    placeInFeed(feed, survey, ({ createdAt }) => createdAt),
  );
  if (survey.score !== null) void queries.invalidateQueries({ queryKey: [RATED] });
}

export const rereadSurveys = (): void => void queries.invalidateQueries({ queryKey: [OF_CONVERSATION] });
