/** Changes of many conversations, which the platform makes one after the other. */
import type { ConversationChange, ConversationRun } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { whenLive } from '../live/status.ts';
import { createStore, useStore } from '../store.ts';
import type { ConversationFilter } from './conversations.ts';
import { whenDone } from './in-order.ts';
import { LIVE, queries } from './queries.ts';

const KEY = 'conversation_run';

/** The conversations of a change: these, or all that a view or a search shows. */
export type ConversationChoice = { ids: string[] } | { filter: ConversationFilter };

/** The run that this page has started last, until somebody puts it away. */
const shownRun = createStore<string | null>(null);

export const useShownRun = (): string | null => useStore(shownRun);

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

export async function startConversationRun(choice: ConversationChoice, change: ConversationChange): Promise<void> {
  await whenDone('ids' in choice ? choice.ids : undefined);
  const run = await parley.conversations.changeMany({ ...choice, change });
  showConversationRun(run);
  shownRun.set(run._id);
}

export async function cancelConversationRun(id: string): Promise<void> {
  showConversationRun(await parley.conversations.cancelBulkRun(id));
}

/** As many as are read by their ids; more are named by the filter when the change begins. */
const MOST_READ = 1_000;
const PAGE = 100;

/** Returns the ids of all conversations that a view or a search shows now; null for too many. */
export async function readConversationIds(filter: ConversationFilter): Promise<string[] | null> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const { result, meta } = await parley.conversations.list({ ...filter, limit: PAGE, skipCount: true, after });
    ids.push(...result.map(({ _id }) => _id));
    after = meta.nextCursor ?? undefined;
  } while (after !== undefined && ids.length < MOST_READ);
  return after === undefined ? ids : null;
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
