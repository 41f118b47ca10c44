/** Changes of many conversations, which the platform makes one after the other. */
import type { Conversation, ConversationChange, ConversationRun } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { whenLive } from '../live/status.ts';
import { createStore, useStore } from '../store.ts';
import type { ConversationFilter } from './conversation-filters.ts';
import { showConversation } from './conversations.ts';
import { inOrder, whenDone } from './in-order.ts';
import { LIVE, queries } from './queries.ts';

const KEY = 'conversation_run';

/** The conversations of a change: these, or all that a view or a search shows. */
export type ConversationChoice = { conversations: readonly Conversation[] } | { filter: ConversationFilter };

interface ShownRun {
  id: string;
  /** The conversations as they were before; none where the platform has selected them. */
  before: readonly Conversation[];
}

/** The run that this page has started last, until somebody puts it away. */
const shownRun = createStore<ShownRun | null>(null);

export const useShownRun = (): ShownRun | null => useStore(shownRun);

export const putRunAway = (): void => shownRun.set(null);

/** Shows a run as the platform has it now. An older state than the one that is shown is ignored. */
export function showConversationRun(run: ConversationRun): void {
  const before = queries.getQueryData<ConversationRun>([KEY, run._id]);
  if (!before || before.processed <= run.processed || run.finished_at !== null)
    queries.setQueryData([KEY, run._id], run);
}

export function useConversationRun(id: string): UseQueryResult<ConversationRun> {
  return useQuery({
    queryKey: [KEY, id],
    queryFn: async ({ signal }) => {
      await whenLive();
      return parley.conversations.getBulkRun(id, { signal });
    },
    ...LIVE,
  });
}

/** Offline, it fails at once: a change that waited could close a conversation whose contact has written meanwhile. */
export async function startConversationRun(choice: ConversationChoice, change: ConversationChange): Promise<void> {
  const before = 'conversations' in choice ? choice.conversations : [];
  const selection = 'filter' in choice ? choice : { ids: before.map(({ _id }) => _id) };
  const isOnline = navigator.onLine;
  if (isOnline) await whenDone('ids' in selection ? selection.ids : undefined);
  const run = await parley.conversations.changeMany({ ...selection, change }, isOnline ? {} : { repeatForMs: 0 });
  showConversationRun(run);
  shownRun.set({ id: run._id, before });
}

/** Returns the conversations that a run has closed, as they were before it. */
export function listClosed({ change, failures }: ConversationRun, before: readonly Conversation[]): Conversation[] {
  if (change.status !== 'CLOSED') return [];
  const failed = new Set(failures.map(({ conversation }) => conversation));
  return before.filter(({ _id, status }) => status !== 'CLOSED' && !failed.has(_id));
}

/** Gives conversations that a run has closed the state that they had before. */
export async function undoClosing(before: readonly Conversation[]): Promise<void> {
  shownRun.set(null);
  const isAside = ({ status, snoozed_until }: Conversation): boolean =>
    status === 'SNOOZED' && (snoozed_until === null || Date.parse(snoozed_until) > Date.now());
  const pending = before.filter(({ status }) => status === 'PENDING');
  const open = before.filter((each) => each.status !== 'PENDING' && !isAside(each));
  // Each snooze has a time of its own, and only ten runs of a company may wait.
  for (const { _id, snoozed_until } of before.filter(isAside))
    showConversation(
      await inOrder(_id, (options) => parley.conversations.update(_id, { status: 'SNOOZED', snoozed_until }, options)),
    );
  if (pending.length > 0) await startConversationRun({ conversations: pending }, { status: 'PENDING' });
  if (open.length > 0) await startConversationRun({ conversations: open }, { status: 'OPEN' });
}

export async function cancelConversationRun(id: string): Promise<void> {
  showConversationRun(await parley.conversations.cancelBulkRun(id));
}

/** As many as are read by their ids; more are named by the filter when the change begins. */
const MOST_READ = 1_000;
const PAGE = 100;

/** Returns all conversations that a view or a search shows now; null for too many. */
export async function readAllConversations(filter: ConversationFilter): Promise<Conversation[] | null> {
  const all: Conversation[] = [];
  let after: string | undefined;
  do {
    const { result, meta } = await parley.conversations.list({ ...filter, limit: PAGE, skipCount: true, after });
    all.push(...result);
    after = meta.nextCursor ?? undefined;
  } while (after !== undefined && all.length < MOST_READ);
  return after === undefined ? all : null;
}

/** Counts the conversations that a view or a search shows. */
export function useConversationTotal(filter: ConversationFilter): number | null {
  const { data } = useQuery({
    queryKey: ['conversation-total', filter],
    queryFn: ({ signal }) => parley.conversations.list({ ...filter, limit: 1 }, { signal }),
  });
  return data?.meta.totalCount ?? null;
}

export const rereadConversationRuns = (): void => void queries.invalidateQueries({ queryKey: [KEY] });
