/** Conversations: one, the list of a view, and the counts of all views. */
import type { CallOptions, Conversation, ConversationCounts, ConversationUpdate, Page } from '@parley/sdk';
import { useMutation, useQuery, type Query, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { whenLive } from '../live/status.ts';
import { noteTeam } from './company.ts';
import { isSearch, placesOf, ruleOf, type ConversationFilter } from './conversation-filters.ts';
import {
  changeFeeds,
  placeInFeed,
  refreshFeed,
  removeFromFeed,
  useFeed,
  type Feed,
  type FeedView,
  type ReadPage,
} from './feeds.ts';
import { inOrder, LeftOut } from './in-order.ts';
import { createStore, useStore } from '../store.ts';
import { LIVE, queries } from './queries.ts';
import { sendHeld } from './scheduled-messages.ts';
import { SAVED_VIEWS } from './views.ts';

const FEEDS = ['conversations'] as const;
const COUNTS = ['conversation-counts'] as const;
const keyOf = (id: string): readonly string[] => ['conversation', id];

const PAGE = 50;

export function useConversations(filter: ConversationFilter): FeedView<Conversation> {
  return useFeed([...FEEDS, filter], pageReader(filter));
}

const pageReader =
  (filter: ConversationFilter): ReadPage<Conversation> =>
  async (after, signal) => {
    const query = { sort: '-last_message_at', ...filter, limit: PAGE, skipCount: true, after } as const;
    const page = await parley.conversations.list(query, { signal });
    return after === undefined ? { ...page, result: withMoves(page, filter) } : page;
  };

/** Adds the moves that the platform may not have stored yet to a first page that it has returned. */
function withMoves({ result, meta }: Page<Conversation>, view: ConversationFilter): Conversation[] {
  const moved = [...moves.keys()].flatMap((id) => findKnownConversation(id) ?? []);
  const page: Feed<Conversation> = { items: result, nextCursor: meta.nextCursor };
  return [...moved.reduce((feed, conversation) => placeInView(feed, conversation, view), page).items];
}

/** The conversation as it is shown somewhere already. */
export const findKnownConversation = (id: string): Conversation | undefined =>
  queries.getQueryData<Conversation>(keyOf(id)) ?? findLoaded(id);

/** Reads a conversation; an empty id reads none. */
export function useConversation(id: string): UseQueryResult<Conversation> {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) => {
      await whenLive();
      return parley.conversations.get(id, { signal });
    },
    enabled: id !== '',
    // A conversation of a list is shown at once.
    initialData: () => findLoaded(id),
    ...LIVE,
  });
}

/** Shows these conversations where they are named, without reading each. One that is shown already is kept up to date by the stream. */
export function keepConversations(conversations: readonly Conversation[]): void {
  for (const conversation of conversations)
    queries.setQueryData<Conversation>(keyOf(conversation._id), (known) => known ?? conversation);
}

function findLoaded(id: string): Conversation | undefined {
  for (const [, feed] of queries.getQueriesData<{ items: Conversation[] }>({ queryKey: FEEDS })) {
    const found = feed?.items.find(({ _id }) => _id === id);
    if (found) return found;
  }
  return undefined;
}

export function useCounts(): UseQueryResult<ConversationCounts> {
  return useQuery({
    queryKey: COUNTS,
    queryFn: async ({ signal }) => {
      await whenLive();
      return parley.conversations.count({ signal });
    },
    ...LIVE,
  });
}

/** Shows a conversation as the platform has it now, in every list that it belongs to. */
export function showConversation(conversation: Conversation): void {
  const before = findKnownConversation(conversation._id);
  // An answer and an event may arrive in another order than they were made.
  if (before && before.updatedAt > conversation.updatedAt) return;
  const move = moves.get(conversation._id);
  if (move) move.stored = conversation.step;
  place(move ? { ...conversation, step: move.step } : conversation, before);
}

function place(conversation: Conversation, before: Conversation | undefined): void {
  queries.setQueryData(keyOf(conversation._id), conversation);
  noteTeam(conversation.team);
  changeFeeds<Conversation>(FEEDS, (feed, [, filter]) => placeInView(feed, conversation, filter as ConversationFilter));
  if (!before || changesCounts(before, conversation)) readCountsSoon();
  SAVED_VIEWS.recountSoon();
}

function placeInView(
  feed: Feed<Conversation>,
  conversation: Conversation,
  view: ConversationFilter,
): Feed<Conversation> {
  if (!ruleOf(view)(conversation)) return removeFromFeed(feed, conversation._id);
  if (isSearch(view) && !feed.items.some(({ _id }) => _id === conversation._id)) {
    refreshSearchesSoon();
    return feed;
  }
  return placeInFeed(feed, conversation, placesOf(view.sort));
}

/** Conversations that were removed while this page is open, such as those of an erased contact. */
const removed = createStore<ReadonlySet<string>>(new Set());

/** True once somebody has removed the conversation: a screen that shows it leaves it. */
export const useIsRemoved = (id: string): boolean => useStore(removed, (all) => all.has(id));

export function forgetConversation(id: string): void {
  removed.set(new Set(removed.get()).add(id));
  queries.removeQueries({ queryKey: keyOf(id) });
  changeFeeds<Conversation>(FEEDS, (feed) => removeFromFeed(feed, id));
  readCountsSoon();
  SAVED_VIEWS.recountSoon();
}

export const rereadConversations = (): void => {
  for (const queryKey of [FEEDS, COUNTS, ['conversation']]) void queries.invalidateQueries({ queryKey });
};

/** However many conversations and contacts change, what is searched is read once in this time at most. */
const SEARCH_PAUSE_MS = 2_000;
let searchTimer: number | undefined;

/** Reads what is searched again, because only the platform can tell what a search finds. */
export function refreshSearchesSoon(): void {
  searchTimer ??= window.setTimeout(() => {
    searchTimer = undefined;
    const predicate = ({ queryKey: [, filter] }: Query): boolean => isSearch(filter as ConversationFilter);
    for (const query of queries.getQueryCache().findAll({ queryKey: FEEDS, predicate })) {
      const { queryKey } = query;
      const filter = queryKey[1] as ConversationFilter;
      // Failure policy: the next change reads it again. A search that is not shown is read when it is shown again.
      if (query.isActive()) refreshFeed(queryKey, pageReader(filter), placesOf(filter.sort)).catch(() => undefined);
      else void queries.invalidateQueries({ queryKey, exact: true });
    }
  }, SEARCH_PAUSE_MS);
}

const changesCounts = (a: Conversation, b: Conversation): boolean =>
  a.unread_count > 0 !== b.unread_count > 0 ||
  a.status !== b.status ||
  a.awaits_reply !== b.awaits_reply ||
  a.owner !== b.owner ||
  a.step !== b.step ||
  a.inbox !== b.inbox;

/** However many conversations change, their counts are read once a second at most. */
const COUNTS_PAUSE_MS = 1_000;
let countsTimer: number | undefined;

function readCountsSoon(): void {
  countsTimer ??= window.setTimeout(() => {
    countsTimer = undefined;
    void queries.invalidateQueries({ queryKey: COUNTS });
  }, COUNTS_PAUSE_MS);
}

/** Changes a conversation, and shows the change once the platform has made it. Throws LeftOut as `putAway` does. */
export async function changeConversation(id: string, change: ConversationUpdate): Promise<Conversation> {
  const shown = findKnownConversation(id);
  const isPutAway = change.status === 'CLOSED' || change.status === 'SNOOZED';
  const changed = await (shown && isPutAway
    ? putAway(shown, change)
    : inOrder(id, (options) => parley.conversations.update(id, change, options)));
  showConversation(changed);
  return changed;
}

export const useConversationChange = (id: string): UseMutationResult<Conversation, Error, ConversationUpdate> =>
  useMutation({ mutationFn: (change) => changeConversation(id, change) });

/**
 * Closes or snoozes a conversation. Throws LeftOut when an earlier act on it has failed, such as the sending of a message, or when the contact
 * has written while the browser was offline.
 */
function putAway(shown: Conversation, change: ConversationUpdate): Promise<Conversation> {
  const { _id } = shown;
  const wasOffline = !navigator.onLine;
  const act = async (options: CallOptions): Promise<Conversation> => {
    if (wasOffline && hasContactWritten(shown, await parley.conversations.get(_id, options))) throw new LeftOut();
    // Held messages are sent first, because a message that is sent later would reopen the conversation.
    if (change.status === 'CLOSED') await sendHeld(_id, options);
    return parley.conversations.update(_id, change, options);
  };
  return inOrder(_id, act, true);
}

/** True when the contact has written since the conversation was shown, even if that message has been read by now, or has an earlier time. */
const hasContactWritten = (shown: Conversation, now: Conversation): boolean =>
  now.last_inbound_at !== shown.last_inbound_at || now.unread_count > shown.unread_count;

/** A person answers from now on; somebody who takes over a conversation of nobody becomes its owner. */
export const takeOver = ({ owner }: Conversation, user: string): ConversationUpdate => ({
  handled_by: 'HUMAN',
  ...(owner === null && { owner: user }),
});

/** Assigns a conversation. A person who gets one from an agent answers it from then on; without an owner, the agent goes on. */
export const assignTo = (
  owner: string | null,
  { handled_by }: Pick<Conversation, 'handled_by'>,
): { owner: string | null; handled_by?: 'HUMAN' } =>
  owner !== null && handled_by === 'AI' ? { owner, handled_by: 'HUMAN' } : { owner };

/** The agent of the conversation answers again, from the contact's next message on. */
export const HAND_BACK: ConversationUpdate = { handled_by: 'AI' };

/** Moves a conversation to a step, or out of all steps. Only a step has an operation of its own. */
export const changeStep = (id: string, step: string | null): Promise<Conversation> =>
  inOrder(id, (options) =>
    step === null
      ? parley.conversations.update(id, { step }, options)
      : parley.conversations.changeStep(id, { step }, options),
  );

/** The moves of a conversation on the board that the platform has not answered yet. */
interface Move {
  /** Where the user has moved the conversation last. */
  step: string | null;
  /** The step that the platform has reported last. */
  stored: string | null;
  unanswered: number;
}

const moves = new Map<string, Move>();

/**
 * The same for the board. The move shows at once, and is taken back when the platform refuses it. Until the platform has answered the last
 * move, answers and events of earlier ones do not move the conversation back.
 */
export async function moveConversation(conversation: Conversation, step: string | null): Promise<void> {
  const { _id } = conversation;
  const shown = findKnownConversation(_id) ?? conversation;
  const move = moves.get(_id) ?? { step, stored: shown.step, unanswered: 0 };
  move.step = step;
  move.unanswered += 1;
  moves.set(_id, move);
  place({ ...shown, step }, shown);
  try {
    showConversation(await changeStep(_id, step));
  } finally {
    move.unanswered -= 1;
    if (move.unanswered === 0) endMove(_id, move);
    readCountsSoon();
  }
}

/** From now on, the conversation is shown in the step that the platform has stored. */
function endMove(id: string, { stored }: Move): void {
  moves.delete(id);
  const shown = findKnownConversation(id);
  if (shown && shown.step !== stored) place({ ...shown, step: stored }, shown);
}

/**
 * Merges a conversation into another one once earlier acts on it have ended. Throws LeftOut when one of these acts has failed, such as the
 * sending of a message. The caller forgets the merged conversation when it is not shown any more.
 */
export async function mergeConversation(from: string, into: string): Promise<void> {
  const merge = (options: CallOptions): Promise<Conversation> =>
    parley.conversations.merge(into, { conversation: from }, options);
  showConversation(await inOrder(from, merge, true));
}

/** Marks the last message of the contact as unread. */
export async function markAsUnread(id: string): Promise<void> {
  showConversation(await inOrder(id, (options) => parley.conversations.markAsUnread(id, options)));
}

/** Marks what has arrived as read. */
export async function markAsRead(id: string): Promise<void> {
  showConversation(await parley.conversations.markAsRead(id, { repeatForMs: 0 }));
}
