/** How each view of the inbox is sorted and by what it is filtered. A saved view has its own order and filters until the user changes them. */
import type { Conversation, View } from '@parley/sdk';
import type { ConversationFilter, ConversationSort, SlaState } from '../../records/conversation-filters.ts';
import { useSavedView } from '../../records/views.ts';
import { useSession } from '../../session/session.ts';
import { createStore, keep, readKept, useStore } from '../../store.ts';
import { PRIORITIES } from '../../texts/conversation-states.ts';

/** The owner who is the user who looks. */
export const ME = 'me';

export const LIST_SORTS = ['-last_message_at', 'waiting_since', '-priority'] as const satisfies ConversationSort[];
type ListSort = (typeof LIST_SORTS)[number];

/** What a view is narrowed to: each name is a filter of the API. */
export interface ListFilter {
  unread?: true;
  priority?: NonNullable<Conversation['priority']>;
  channel?: Conversation['channel'];
  sla?: SlaState;
  /** Minutes. */
  waiting_longer_than?: number;
  /** The id of a user, `me` or `none`. */
  owner?: string;
  /** Ids, or `none`. */
  team?: string;
  step?: string;
  inbox?: string;
  tag?: string;
  /** Filters by custom fields, as the API takes them. */
  filters?: string;
}

const KEPT_AS = 'parley.sort.';
const sorts = createStore<ReadonlyMap<string, ListSort>>(new Map());
const filters = createStore<ReadonlyMap<string, ListFilter>>(new Map());
const NONE: ListFilter = {};

/** The filters that a saved view and the menu of the list share unchanged. */
const SHARED = ['channel', 'sla', 'waiting_longer_than', 'owner', 'team', 'step', 'inbox', 'tag', 'filters'] as const;
const NAMES = ['unread', 'priority', ...SHARED] as const;

/** Returns the filters of a saved view that the list's menu has, and the others, which stay. */
export function splitFilters(view: Pick<View, 'filters'>): { base: ConversationFilter; chosen: ListFilter } {
  const { unread, priority, channel, sla, waiting_longer_than, owner, team, step, inbox, tag, ...rest } = view.filters;
  const { filters: fields, ...others } = rest;
  const single = PRIORITIES.find((each) => each === priority);
  const shared = { channel, sla, waiting_longer_than, owner, team, step, inbox, tag, filters: fields };
  return {
    base: {
      ...others,
      ...(unread === false && { unread }),
      ...(priority !== undefined && !single && { priority }),
    },
    chosen: {
      ...(unread === true && { unread }),
      ...(single && { priority: single }),
      ...Object.fromEntries(SHARED.flatMap((name) => (shared[name] === undefined ? [] : [[name, shared[name]]]))),
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
  const isFiltered = NAMES.some((name) => filter[name] !== first[name]);
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
  changeListFilter(view, next);
}

export function changeListFilter(view: string, next: ListFilter): void {
  filters.set(new Map(filters.get()).set(view, next));
}

/** Shows a view as it is saved, or without a filter. */
export function resetListOptions(view: string, isSaved: boolean): void {
  const without = <T>(all: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...all].filter(([key]) => key !== view));
  filters.set(without(filters.get()));
  if (isSaved) sorts.set(without(sorts.get()));
}

/** Returns what the list of a view shows to this user. In the order of waiting it shows only those who wait. */
export function useNarrowed(view: string, filter: ConversationFilter): ConversationFilter {
  const { user } = useSession();
  const { sort, filter: chosen } = useListOptions(view);
  const narrowed = { ...filter, ...chosen, ...(chosen.owner === ME && { owner: user._id }) };
  if (sort === '-last_message_at') return narrowed;
  const isWaiting = sort === 'waiting_since' && { waiting_longer_than: narrowed.waiting_longer_than ?? 0 };
  return { ...narrowed, sort, ...isWaiting };
}
