/** The messages of a conversation, the newest first. */
import type { CallOptions, Message, Page } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, removeFromFeed, replaceInFeed, useFeed, type Feed, type FeedView } from './feeds.ts';
import { LIVE, queries } from './queries.ts';

const THREADS = ['thread'] as const;
/** The messages of earlier conversations, cached apart from single threads. */
export const EARLIER = [...THREADS, 'earlier'] as const;
const keyOf = (conversation: string): readonly string[] => [...THREADS, conversation];
const PAGE = 50;
export const NO_PAGE = {
  page: 1,
  limit: PAGE,
  totalCount: null,
  totalPages: null,
  hasNextPage: false,
  nextCursor: null,
};

/** Reads a page of a conversation's messages, the newest first. */
export const readThreadPage = (
  conversation: string,
  after: string | undefined,
  signal?: AbortSignal,
): Promise<Page<Message>> =>
  parley.messages.listInConversation(
    conversation,
    { sort: '-createdAt', limit: PAGE, skipCount: true, after },
    { signal },
  );

export function useThread(conversation: string): FeedView<Message> {
  return useFeed(keyOf(conversation), (after, signal) => readThreadPage(conversation, after, signal));
}

const ANY = ['has-messages'] as const;

/** Whether the company has a message. The stream brings the first one; it may be faster than the answer to the search. */
export const useHasMessages = (isAsked: boolean): UseQueryResult<boolean> =>
  useQuery({
    queryKey: ANY,
    queryFn: async ({ signal }) => {
      const { result } = await parley.messages.search({ limit: 1, skipCount: true }, { signal });
      return result.length > 0 || queries.getQueryData(ANY) === true;
    },
    enabled: isAsked,
    ...LIVE,
  });

/** Reads the next page that has messages. A page of a search can have none although older messages follow. */
export async function findMessages(
  query: NonNullable<Parameters<typeof parley.messages.search>[0]>,
  call: CallOptions,
): Promise<Page<Message>> {
  let page = await parley.messages.search(query, call);
  while (page.result.length === 0 && page.meta.nextCursor !== null)
    page = await parley.messages.search({ ...query, after: page.meta.nextCursor }, call);
  return page;
}

/** The messages that contain the words, in one inbox or conversation or in all, the newest first. Null searches nothing. */
export function useMessageHits(
  search: string | null,
  within: { inbox?: string | undefined; conversation?: string },
): FeedView<Message> {
  return useFeed(
    ['message-hits', search, within],
    async (after, signal) =>
      search === null
        ? { result: [], meta: NO_PAGE }
        : findMessages({ ...within, search, limit: PAGE, skipCount: true, after }, { signal }),
    { isLive: false },
  );
}

const createdOf = (message: Message): string => message.createdAt;

/** Shows a message as the platform has it now. An older state than the one that is shown is ignored. */
export function showMessage(message: Message): void {
  queries.setQueryData(ANY, true);
  changeFeeds<Message>(keyOf(message.conversation), (feed) => {
    const before = feed.items.find(({ _id }) => _id === message._id);
    return before && before.updatedAt > message.updatedAt ? feed : placeInFeed(feed, message, createdOf);
  });
  changeFeeds<Message>(EARLIER, (feed) => placeAmongEarlier(feed, message));
  if (queries.getQueryData(['message', message._id])) queries.setQueryData(['message', message._id], message);
}

/** Earlier conversations stand one behind the other, so a message has its place among those of its own. */
function placeAmongEarlier(feed: Feed<Message>, message: Message): Feed<Message> {
  const { _id, conversation, createdAt, updatedAt } = message;
  const before = feed.items.find((item) => item._id === _id);
  if (before) return before.updatedAt > updatedAt ? feed : replaceInFeed(feed, message);
  const index = feed.items.findIndex((item) => item.conversation === conversation && item.createdAt <= createdAt);
  return index < 0 ? feed : { ...feed, items: feed.items.toSpliced(index, 0, message) };
}

/** Whether the same content was sent once more after a message that has failed. */
export function isRepeated({ _id, conversation, contentType, content, attachment }: Message): boolean {
  const items = queries.getQueryData<Feed<Message>>(keyOf(conversation))?.items ?? [];
  const index = items.findIndex((item) => item._id === _id);
  const later = items.slice(0, Math.max(0, index));
  return later.some(
    (item) =>
      item.message_type === 'OUTGOING' &&
      item.status !== 'FAILED' &&
      item.contentType === contentType &&
      item.content === content &&
      item.attachment === attachment,
  );
}

/** The id of the newest message that is shown; null when there is none. */
export const findNewestMessage = (conversation: string): string | null =>
  queries.getQueryData<Feed<Message>>(keyOf(conversation))?.items[0]?._id ?? null;

/** Returns a loaded message of a conversation. */
export const findThreadMessage = (conversation: string, id: string): Message | undefined =>
  queries.getQueryData<Feed<Message>>(keyOf(conversation))?.items.find(({ _id }) => _id === id);

export const forgetMessage = (id: string): void => changeFeeds<Message>(THREADS, (feed) => removeFromFeed(feed, id));

export const forgetThread = (conversation: string): void => queries.removeQueries({ queryKey: keyOf(conversation) });

export const rereadThreads = (): void => void queries.invalidateQueries({ queryKey: THREADS });

/** Reads a message that another one answers, unless it is among those that are shown. */
export function useMessage(conversation: string, id: string): UseQueryResult<Message> {
  return useQuery({
    queryKey: ['message', id],
    queryFn: ({ signal }) => parley.messages.get(id, { signal }),
    initialData: () => findLoadedMessage(conversation, id),
    ...LIVE,
  });
}

function findLoadedMessage(conversation: string, id: string): Message | undefined {
  for (const queryKey of [keyOf(conversation), EARLIER])
    for (const [, feed] of queries.getQueriesData<Feed<Message>>({ queryKey })) {
      const found = feed?.items.find(({ _id }) => _id === id);
      if (found) return found;
    }
  return undefined;
}
