/** Rules, and what they have done. */
import type { Rule, RuleRun } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, removeFromFeed, useFeed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const FEEDS = ['rules'] as const;
const RECORD = 'rule';

export const useRuleList = (): FeedView<Rule> =>
  useFeed(FEEDS, (after, signal) => parley.rules.list({ limit: 50, skipCount: true, after }, { signal }), {
    isLive: false,
  });

export const useRule = (id: string): UseQueryResult<Rule> =>
  useQuery({ queryKey: [RECORD, id], queryFn: () => parley.rules.get(id), refetchOnWindowFocus: false });

export const useRuleRuns = (id: string): FeedView<RuleRun> =>
  useFeed(
    ['rule-runs', id],
    (after, signal) => parley.rules.listRuns(id, { limit: 10, skipCount: true, after }, { signal }),
    { isLive: false, isKept: false },
  );

export function showRule(rule: Rule): void {
  queries.setQueryData([RECORD, rule._id], rule);
  changeFeeds<Rule>(FEEDS, (feed) => placeInFeed(feed, rule, ({ createdAt }) => createdAt));
}

export function forgetRule(id: string): void {
  queries.removeQueries({ queryKey: [RECORD, id] });
  changeFeeds<Rule>(FEEDS, (feed) => removeFromFeed(feed, id));
}
