/** How each view of the inbox is sorted, which is kept in this browser, and by what it is filtered. */
import type { Conversation } from '@parley/sdk';
import type { ConversationFilter, ConversationSort } from '../../records/conversations.ts';
import { createStore, keep, readKept, useStore } from '../../store.ts';

export const LIST_SORTS = ['-last_message_at', 'waiting_since', '-priority'] as const satisfies ConversationSort[];
type ListSort = (typeof LIST_SORTS)[number];

/** What a view is narrowed to. */
export interface ListFilter {
  unread?: true;
  priority?: NonNullable<Conversation['priority']>;
  channel?: Conversation['channel'];
}

const KEPT_AS = 'parley.sort.';
const sorts = createStore<ReadonlyMap<string, ListSort>>(new Map());
const filters = createStore<ReadonlyMap<string, ListFilter>>(new Map());
const NONE: ListFilter = {};

const readSort = (view: string): ListSort =>
  LIST_SORTS.find((each) => each === readKept(KEPT_AS + view)) ?? '-last_message_at';

export const useListSort = (view: string): ListSort => useStore(sorts, (all) => all.get(view) ?? readSort(view));

export function chooseListSort(view: string, sort: ListSort): void {
  keep(KEPT_AS + view, sort === '-last_message_at' ? null : sort);
  sorts.set(new Map(sorts.get()).set(view, sort));
}

export const useListFilter = (view: string): ListFilter => useStore(filters, (all) => all.get(view) ?? NONE);

/** Adds a condition, or takes it away where it is the same. */
export function toggleListFilter<Name extends keyof ListFilter>(
  view: string,
  name: Name,
  value: ListFilter[Name],
): void {
  const { [name]: before, ...others } = filters.get().get(view) ?? NONE;
  filters.set(new Map(filters.get()).set(view, before === value ? others : { ...others, [name]: value }));
}

/** Returns what the list of a view shows. In the order of waiting it shows only those who wait. */
export function useNarrowed(view: string, filter: ConversationFilter): ConversationFilter {
  const sort = useListSort(view);
  const order = sort === 'waiting_since' ? { sort, waiting_longer_than: 0 } : { sort };
  return { ...filter, ...useListFilter(view), ...(sort !== '-last_message_at' && order) };
}
