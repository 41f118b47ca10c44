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

const readList = (): readonly View[] => queries.getQueryData<readonly View[]>(LIST) ?? NONE;
const describeCounted = (view: View | undefined): string => JSON.stringify(view?.filters);

export function showView(view: View): void {
  const known = readList().find(({ _id }) => _id === view._id);
  // An answer and an event may arrive in another order than they were made.
  if (known && known.updatedAt > view.updatedAt) return;
  queries.setQueryData<readonly View[]>(LIST, (list) => list && [...list.filter(({ _id }) => _id !== view._id), view]);
  // A change of the name or the place leaves the counts as they are.
  if (describeCounted(known) !== describeCounted(view)) void queries.invalidateQueries({ queryKey: COUNTS });
}

/** How far apart views are placed, so that one can be moved between two others without a change of theirs. */
const GAP = 1_000;
const LAST_POSITION = 1_000_000;

/** Returns the position of a new view, behind those that are listed with it. */
export function findNextPosition(isShared: boolean): number {
  const last = Math.max(0, ...readList().flatMap((view) => (view.is_shared === isShared ? [view.position] : [])));
  // While no view was moved, all are sorted by name.
  return last === 0 ? 0 : Math.min(last + GAP, LAST_POSITION);
}

/** Gives the views of a list the order in which they are here. Only the one at `moved` has another place than before. */
export async function moveView(ordered: readonly View[], moved: number): Promise<void> {
  const positions = findPositions(ordered, moved);
  const toMoved = (view: View): View => ({ ...view, position: positions.get(view._id) ?? view.position });
  queries.setQueryData<readonly View[]>(LIST, (list) => list?.map(toMoved));
  const changed = ordered.filter((view) => toMoved(view).position !== view.position);
  try {
    for (const { _id } of changed) showView(await parley.views.update(_id, { position: positions.get(_id) ?? 0 }));
  } catch (error) {
    rereadViews();
    throw error;
  }
}

/** Finds a position between the neighbours, or else new positions for all. */
function findPositions(ordered: readonly View[], moved: number): ReadonlyMap<string, number> {
  const [before, view, after] = [ordered[moved - 1], ordered[moved], ordered[moved + 1]];
  const low = before?.position ?? -1;
  const high = after?.position ?? low + 2 * GAP;
  const middle = low + Math.floor((high - low) / 2);
  if (view && middle > low && middle < high && middle <= LAST_POSITION) return new Map([[view._id, middle]]);
  return new Map(ordered.map(({ _id }, index) => [_id, (index + 1) * GAP]));
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
