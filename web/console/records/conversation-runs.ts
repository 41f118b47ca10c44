/** Changes of many conversations, which the platform makes one after the other. */
import type { Conversation, ConversationChange, ConversationRun, Macro } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { parley } from '../client.ts';
import type { ConversationFilter } from './conversation-filters.ts';
import { showConversation } from './conversations.ts';
import { inOrder, whenDone } from './in-order.ts';
import { createRuns } from './runs.ts';

/** The conversations of a change: these, or all that a view or a search shows. */
export type ConversationChoice = { conversations: readonly Conversation[] } | { filter: ConversationFilter };

/** What is done with each of them. */
export type ConversationAct = ConversationChange | { macro: Macro };

export const CONVERSATION_RUNS = createRuns<ConversationRun>({
  event: 'conversation_run',
  get: (id, signal) => parley.conversations.getBulkRun(id, { signal }),
  cancel: (id) => parley.conversations.cancelBulkRun(id),
});

/** The conversations of the run that is shown, as they were before; none where the platform has selected them. */
let shownBefore: readonly Conversation[] = [];

/** Offline, it fails at once: a change that waited could close a conversation whose contact has written meanwhile. */
export async function startConversationRun(choice: ConversationChoice, act: ConversationAct): Promise<void> {
  const before = 'conversations' in choice ? choice.conversations : [];
  const selection = 'filter' in choice ? choice : { ids: before.map(({ _id }) => _id) };
  const isOnline = navigator.onLine;
  if (isOnline) await whenDone('ids' in selection ? selection.ids : undefined);
  const options = isOnline ? {} : { repeatForMs: 0 };
  const run =
    'macro' in act
      ? await parley.macros.runInMany(act.macro._id, selection, options)
      : await parley.conversations.changeMany({ ...selection, change: act }, options);
  shownBefore = before;
  CONVERSATION_RUNS.begin(run);
}

/** Returns the conversations that the shown run has closed, as they were before it. */
export function listClosed({ change, failures }: ConversationRun): Conversation[] {
  if (change?.status !== 'CLOSED') return [];
  const failed = new Set(failures.map(({ conversation }) => conversation));
  return shownBefore.filter(({ _id, status }) => status !== 'CLOSED' && !failed.has(_id));
}

/** Gives conversations that a run has closed the state that they had before. */
export async function undoClosing(before: readonly Conversation[]): Promise<void> {
  CONVERSATION_RUNS.dismiss();
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

/** Counts the conversations that a view or a search shows; null while that is not known. */
export function useConversationTotal(filter: ConversationFilter): number | null {
  const { data, isError } = useQuery({
    queryKey: ['conversation-total', filter],
    queryFn: ({ signal }) => parley.conversations.list({ ...filter, limit: 1 }, { signal }),
  });
  return isError ? null : (data?.meta.totalCount ?? null);
}
