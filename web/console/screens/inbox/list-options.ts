/** How each view of the inbox is sorted and by what it is filtered. A saved view has its own order and filters until the user changes them. */
import type { Conversation, View } from '@parley/sdk';
import type { ConversationFilter, ConversationSort, SlaState } from '../../records/conversation-filters.ts';
import { useSavedView } from '../../records/views.ts';
import { createStore, keep, readKept, useStore } from '../../store.ts';
import { PRIORITIES } from '../../texts/conversation-states.ts';

export const LIST_SORTS = ['-last_message_at', 'waiting_since', '-priority'] as const satisfies ConversationSort[];
type ListSort = (typeof LIST_SORTS)[number];

/** What a view is narrowed to. */
export interface ListFilter {
  unread?: true;
  priority?: NonNullable<Conversation['priority']>;
  channel?: Conversation['channel'];
  sla?: SlaState;
}

const KEPT_AS = 'parley.sort.';
const sorts = createStore<ReadonlyMap<string, ListSort>>(new Map());
const filters = createStore<ReadonlyMap<string, ListFilter>>(new Map());
const NONE: ListFilter = {};

/** Returns the filters of a saved view that the list's menu has, and the others, which stay. */
export function splitFilters({ filters: { unread, priority, channel, sla, ...others } }: Pick<View, 'filters'>): {
  base: ConversationFilter;
  chosen: ListFilter;
} {
  const single = PRIORITIES.find((each) => each === priority);
  return {
    base: {
      ...others,
      ...(unread === false && { unread }),
      ...(priority !== undefined && !single && { priority }),
    },
    chosen: {
      ...(unread === true && { unread }),
      ...(single && { priority: single }),
      ...(channel && { channel }),
      ...(sla && { sla }),
    },
  };
}

const findSort = (text: string | null | undefined): ListSort =>
  LIST_SORTS.find((each) => each === text) ?? '-last_message_at';

interface ListOptions {
  sort: ListSort;
  filter: ListFilter;
  /** The user has filtered the view, or sorted it so that it shows others, since it was opened. */
  isNarrowed: boolean;
  /** It differs from what is saved. */
  isChanged: boolean;
}

export function useListOptions(view: string): ListOptions {
  const saved = useSavedView(view);
  const first = saved ? splitFilters(saved).chosen : NONE;
  const firstSort = findSort(saved ? saved.sort : readKept(KEPT_AS + view));
  const sort = useStore(sorts, (all) => all.get(view)) ?? firstSort;
  const filter = useStore(filters, (all) => all.get(view)) ?? first;
  const isFiltered = (['unread', 'priority', 'channel', 'sla'] as const).some((name) => filter[name] !== first[name]);
  const showsOthers = (sort === 'waiting_since') !== (saved?.sort === 'waiting_since');
  return {
    sort,
    filter,
    isNarrowed: isFiltered || showsOthers,
    isChanged: isFiltered || (saved !== undefined && sort !== firstSort),
  };
}

export function chooseListSort(view: string, sort: ListSort, isSaved: boolean): void {
  if (!isSaved) keep(KEPT_AS + view, sort === '-last_message_at' ? null : sort);
  sorts.set(new Map(sorts.get()).set(view, sort));
}

/** Adds a condition to the present ones, or takes it away where it is the same. */
export function toggleListFilter(view: string, { ...present }: ListFilter, toggled: ListFilter): void {
  const next: ListFilter = { ...present };
  for (const name of Object.keys(toggled) as (keyof ListFilter)[]) {
    if (present[name] === toggled[name]) delete next[name];
    else Object.assign(next, { [name]: toggled[name] });
  }
  filters.set(new Map(filters.get()).set(view, next));
}

/** Shows a view as it is saved, or without a filter. */
export function resetListOptions(view: string, isSaved: boolean): void {
  const without = <T>(all: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...all].filter(([key]) => key !== view));
  filters.set(without(filters.get()));
  if (isSaved) sorts.set(without(sorts.get()));
}

/** Returns what the list of a view shows. In the order of waiting it shows only those who wait. */
export function useNarrowed(view: string, filter: ConversationFilter): ConversationFilter {
  const { sort, filter: chosen } = useListOptions(view);
  const isWaiting = sort === 'waiting_since' && { waiting_longer_than: filter.waiting_longer_than ?? 0 };
  return { ...filter, ...chosen, ...(sort !== '-last_message_at' && { sort }), ...isWaiting };
}
