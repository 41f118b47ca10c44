/** Saved views of the conversations, in their order, and how many conversations each has. */
import type { View } from '@parley/sdk';
import { parley } from '../client.ts';
import { useAllViews } from './company.ts';
import { createSaved } from './saved.ts';

export const SAVED_VIEWS = createSaved<View>({
  list: 'views',
  useAll: useAllViews,
  update: (id, change) => parley.views.update(id, change),
  remove: (id) => parley.views.delete(id),
  count: async (signal) => (await parley.views.count({ signal })).views.map(({ view, count }) => [view, count]),
});

/** The part of the address that a saved view has. */
export const toViewKey = (id: string): string => `view-${id}`;

export const { use: useViews, useLoaded: useLoadedViews, useCounts: useSavedCounts } = SAVED_VIEWS;

/** Returns the view of an address; undefined for a view that every company has. */
export function useSavedView(key: string): View | undefined {
  return useAllViews().data?.find(({ _id }) => toViewKey(_id) === key);
}
