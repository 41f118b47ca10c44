/** The templates of an inbox's account, newest first, or those with a text, as the platform last copied them from the network. */
import type { Template } from '@parley/sdk';
import { skipToken, useQuery } from '@tanstack/react-query';
import { parley } from '../../client.ts';
import { changeFeeds, placeInFeed, replaceInFeed, useFeed, type FeedView } from '../../records/feeds.ts';
import { queries } from '../../records/queries.ts';

const TEMPLATES_KEY = ['templates'] as const;
const faultKey = (inbox: string): readonly string[] => ['templates-fault', inbox];

interface TemplatesView {
  feed: FeedView<Template>;
  /** Why the templates could not be copied the last time; null when they could. */
  fault: string | null;
}

export function useTemplates(inbox: string, search: string): TemplatesView {
  const feed = useFeed<Template>(
    [...TEMPLATES_KEY, inbox, search],
    async (after, signal) => {
      const wanted = search === '' ? {} : { search };
      const page = await parley.templates.list(inbox, { ...wanted, limit: 50, skipCount: true, after }, { signal });
      queries.setQueryData(faultKey(inbox), page.catalogue.error);
      return page;
    },
    { isLive: false },
  );
  const { data: fault = null } = useQuery<string | null>({ queryKey: faultKey(inbox), queryFn: skipToken });
  return { feed, fault };
}

/** Shows a template as it is now. What is searched gets no new one, because only the platform can tell what a search finds. */
export const showTemplate = (template: Template, inbox: string): void =>
  changeFeeds<Template>([...TEMPLATES_KEY, inbox], (feed, [, , search]) =>
    search === '' ? placeInFeed(feed, template, ({ createdAt }) => createdAt) : replaceInFeed(feed, template),
  );

export const forgetTemplates = (name: string, inbox: string): void =>
  changeFeeds<Template>([...TEMPLATES_KEY, inbox], (feed) => ({
    ...feed,
    items: feed.items.filter((each) => each.name !== name),
  }));
