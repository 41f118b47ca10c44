/** Saved views of the conversations, in their order, and how many conversations each has. */
import type { View } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { rereadCompany, useAllViews } from './company.ts';
import { queries } from './queries.ts';

const LIST = ['company', 'views'] as const;
const COUNTS = ['view-counts'] as const;
const NONE: readonly never[] = [];

/** The part of the address that a saved view has. */
export const toViewKey = (id: string): string => `view-${id}`;

const compare = (a: View, b: View): number => a.position - b.position || a.name.localeCompare(b.name);

/** Lists the user's own views and the shared ones; undefined while they are not known. */
export const useLoadedViews = (): readonly View[] | undefined => useAllViews().data?.toSorted(compare);
export const useViews = (): readonly View[] => useLoadedViews() ?? NONE;

/** Returns the view of an address; undefined for a view that every company has. */
export function useSavedView(key: string): View | undefined {
  return useAllViews().data?.find(({ _id }) => toViewKey(_id) === key);
}

/** The counts of the saved views by their addresses; a view whose conversations are not counted is not there. */
export function useSavedCounts(): ReadonlyMap<string, number> | undefined {
  const hasViews = useViews().length > 0;
  const { data } = useQuery({
    queryKey: COUNTS,
    queryFn: async ({ signal }) => (await parley.views.count({ signal })).views,
    enabled: hasViews,
  });
  return data && new Map(data.flatMap(({ view, count }) => (count === null ? [] : [[toViewKey(view), count]])));
}

export function showView(view: View): void {
  queries.setQueryData<readonly View[]>(LIST, (list) => {
    const others = list?.filter(({ _id }) => _id !== view._id);
    // An answer and an event may arrive in another order than they were made.
    const known = list?.find(({ _id }) => _id === view._id);
    return known && known.updatedAt > view.updatedAt ? list : others && [...others, view];
  });
  void queries.invalidateQueries({ queryKey: COUNTS });
}

export const forgetView = (id: string): void =>
  void queries.setQueryData<readonly View[]>(LIST, (list) => list?.filter(({ _id }) => _id !== id));

export function rereadViews(): void {
  rereadCompany('views');
  readViewCountsSoon();
}

/** However many conversations change, the views are counted once in this time at most. */
const COUNTS_PAUSE_MS = 3_000;
let countsTimer: number | undefined;

export function readViewCountsSoon(): void {
  countsTimer ??= window.setTimeout(() => {
    countsTimer = undefined;
    void queries.invalidateQueries({ queryKey: COUNTS });
  }, COUNTS_PAUSE_MS);
}
