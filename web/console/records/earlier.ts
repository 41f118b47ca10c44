/** The messages of a contact's earlier conversations: one conversation behind the other, the newest first, in all channels. */
import type { Conversation, Message, Page } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { keepConversations } from './conversations.ts';
import { useFeed, type FeedView } from './feeds.ts';
import { EARLIER, NO_PAGE, readThreadPage } from './messages.ts';
import { LIVE } from './queries.ts';

type Shown = Pick<Conversation, '_id' | 'contact' | 'createdAt'>;

const PAGE = 50;

/** Where reading goes on. The cursor of the feed is this as text. */
interface Place {
  /** The conversations that were found and are not read to their ends, the newest first. */
  ids: string[];
  /** Where the messages of the first of them go on. */
  messages?: string | undefined;
  /** Where the list of conversations goes on; null when all were found. */
  list?: string | undefined | null;
}

/** Reads nothing until somebody wants to see what was before. A merge gives the conversation another contact, and so another feed. */
export const useEarlier = (shown: Shown, isWanted: boolean): FeedView<Message> =>
  useFeed(
    [...EARLIER, shown._id, shown.contact],
    (after, signal) => readEarlier(shown, after === undefined ? { ids: [] } : (JSON.parse(after) as Place), signal),
    { isWanted, isKept: false },
  );

/** Whether the contact has an earlier conversation; undefined while it is not known. Asked only once the first message is shown. */
export const useHasEarlier = (shown: Shown, isAsked: boolean): boolean | undefined =>
  useQuery({
    queryKey: ['has-earlier', shown._id, shown.contact],
    queryFn: async ({ signal }) => {
      const query = { contact: shown.contact, sort: 'createdAt', limit: 1, skipCount: true } as const;
      const { result } = await parley.conversations.list(query, { signal });
      return result.some((oldest) => isEarlier(oldest, shown));
    },
    enabled: isAsked,
    ...LIVE,
  }).data;

/** Reads up to the next messages, because an earlier conversation may have none. */
async function readEarlier(shown: Shown, place: Place, signal?: AbortSignal): Promise<Page<Message>> {
  let next = place;
  for (;;) {
    const [id] = next.ids;
    if (id === undefined) {
      if (next.list === null) return toPage([], null);
      next = await findConversations(shown, next.list, signal);
      continue;
    }
    const { result, meta } = await readThreadPage(id, next.messages, signal);
    next =
      meta.nextCursor === null ? { ids: next.ids.slice(1), list: next.list } : { ...next, messages: meta.nextCursor };
    const isEnd = next.ids.length === 0 && next.list === null;
    if (result.length > 0) return toPage(result, isEnd ? null : next);
  }
}

async function findConversations(shown: Shown, after: string | undefined, signal?: AbortSignal): Promise<Place> {
  const { result, meta } = await parley.conversations.list(
    { contact: shown.contact, sort: '-createdAt', limit: PAGE, skipCount: true, after },
    { signal },
  );
  const earlier = result.filter((each) => isEarlier(each, shown));
  keepConversations(earlier);
  return { ids: earlier.map(({ _id }) => _id), list: meta.nextCursor };
}

const isEarlier = (a: Shown, b: Shown): boolean =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a._id < b._id);

const toPage = (result: Message[], next: Place | null): Page<Message> => ({
  result,
  meta: { ...NO_PAGE, hasNextPage: next !== null, nextCursor: next && JSON.stringify(next) },
});
