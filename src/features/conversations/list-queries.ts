/** The queries for pages of conversations; list.ts chooses between them. */
import { many, oneValue } from '../../platform/store/db.ts';
import {
  HIT as HIT_COLUMNS,
  nearRowsSql,
  nearValues,
  orderedRowsSql,
  pageByKeySql,
  sortedHitsSql,
} from '../../platform/store/long-list.ts';
import {
  isSinceInOrder,
  sinceClause,
  sinceNameSuffix,
  windowClause,
  windowKeyColumns,
  windowNameSuffix,
  windowValues,
  type Since,
  type Window,
} from '../../platform/store/paging.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { buildConditions, listAsked, type ConversationFilter } from './filter-queries.ts';
import { CONVERSATION } from './queries.ts';
import type { Conversation } from './schemas.ts';

/** The columns of a match that sortedHitsSql() needs. */
const HIT = `${HIT_COLUMNS}, waiting_since as awaited_at, priority`;

/** Returns SQL for the records of a page. The rows of the page are found first, so that joins are made only for these. */
const selectConversationsSql = (keys: string, window: Window): string =>
  pageByKeySql(window, {
    keys,
    table: 'conversations',
    as: 'v',
    columns: CONVERSATION,
    joins:
      'left join lateral (select * from messages where company_id = $1 and _id = v.last_message_id offset 0) m on true',
  });

/** Returns true when an index has the conversations of exactly these filters in the order that the page needs. */
export function hasOrderedIndex(filter: ConversationFilter, window: Window): boolean {
  if (!isSinceInOrder(window)) return false;
  if (window.field === 'createdAt') return true;
  const inOrder = FILTERS_IN_ORDER.get(window.field) ?? [];
  return listAsked(filter).every((name) => inOrder.includes(name));
}

/** The filters by which the index of an order can be read as well. */
const FILTERS_IN_ORDER = new Map<Window['field'], readonly string[]>([
  ['last_message_at', ['status']],
  // Only open conversations wait.
  ['waiting_since', ['waiting', 'open']],
]);

/** Returns SQL for the conversations in the order that the page needs. */
function conversationsInOrderSql(window: Window, filter: ConversationFilter): string {
  // The status is $2, because it is the first of all filters.
  const status = filter.status === null ? '' : 'and a.status = $2';
  const only = window.field === 'waiting_since' ? 'and a.awaited_at is not null' : status;
  return `${orderedRowsSql(window, { table: 'conversations', activity: 'conversation_activity', only })} v`;
}

export function listConversations(tx: TenantRead, filter: ConversationFilter, window: Window): Promise<Conversation[]> {
  const { text, values, name } = buildConditions(tx, filter);
  const first = values.length + 1;
  const rows = `select ${windowKeyColumns(window)} from ${conversationsInOrderSql(window, filter)} where ${text} ${windowClause(window, first)}`;
  return many(tx, {
    name: `conversations.list.${name}.${windowNameSuffix(window)}`,
    text: selectConversationsSql(rows, window),
    values: [...values, ...windowValues(window)],
    planEachTime: true,
  });
}

/** Finds all matching conversations by an index and then sorts them. */
export function lookUpConversations(
  tx: TenantRead,
  filter: ConversationFilter,
  window: Window,
): Promise<Conversation[]> {
  const { text, values, name } = buildConditions(tx, filter);
  const first = values.length + 1;
  const hits = `select ${HIT} from conversations v where ${text} ${sinceClause(window, first + 4)}`;
  return many(tx, {
    name: `conversations.lookUp.${name}.${windowNameSuffix(window)}`,
    text: selectConversationsSql(sortedHitsSql(window, first, hits), window),
    values: [...values, ...windowValues(window)],
    planEachTime: true,
  });
}

export function countConversations(tx: TenantRead, filter: ConversationFilter, window: Since): Promise<number> {
  const { text, values, name } = buildConditions(tx, filter);
  return oneValue(tx, {
    name: `conversations.count.${name}${sinceNameSuffix(window)}`,
    text: `select count(*)::int as count from conversations v where ${text} ${sinceClause(window, values.length + 1)}`,
    values: [...values, window.since],
    planEachTime: true,
  });
}

/** Counts the matching conversations, but not more than `most`. */
export function countUpTo(tx: TenantRead, filter: ConversationFilter, most: number): Promise<number> {
  const { text, values, name } = buildConditions(tx, filter);
  return oneValue(tx, {
    name: `conversations.countUpTo.${name}`,
    text: `select count(*)::int as count from (select from conversations v where ${text} limit $${values.length + 1}) counted`,
    values: [...values, most],
    planEachTime: true,
  });
}

/** Returns the ids of at most `most` matching conversations, in no particular order. */
export async function selectConversations(tx: TenantRead, filter: ConversationFilter, most: number): Promise<string[]> {
  const { text, values, name } = buildConditions(tx, filter);
  const rows = await many<{ _id: string }>(tx, {
    name: `conversations.select.${name}`,
    text: `select v._id from conversations v where ${text} limit $${values.length + 1}`,
    values: [...values, most],
    planEachTime: true,
  });
  return rows.map(({ _id }) => _id);
}

/** A search that matches a large part of the contacts: letters of a name, an e-mail or a username, or digits of a phone number. */
export interface BroadSearch {
  values: (string | null)[];
  /** The condition for contacts with the alias `c`; `first` is the number of the first parameter. */
  condition: (first: number) => string;
}

interface BroadQuery {
  filter: ConversationFilter;
  search: BroadSearch;
}

interface NearQuery {
  filter: ConversationFilter;
  search: BroadSearch | null;
}

/**
 * Lists matching conversations among the first `reach` conversations in the order of the list. When they are fewer than a page, more may
 * follow after these.
 */
export function listNearConversations(
  tx: TenantRead,
  { filter, search }: NearQuery,
  window: Window,
): Promise<Conversation[]> {
  const { text, values, name } = buildConditions(tx, filter);
  const first = values.length + (search?.values.length ?? 0) + 1;
  // Each filter has an index in the order of createdAt; other orders have none, so there the filter is applied to the rows that were read.
  const [inside, outside] = window.field === 'createdAt' ? [text, 'true'] : ['v.company_id = $1', text];
  const contact = `cross join lateral (select * from contacts where company_id = $1 and _id = v.contact_id offset 0) c`;
  const rows = nearRowsSql(window, first, {
    list: `${conversationsInOrderSql(window, filter)} where ${inside}`,
    as: 'v',
    joins: search ? contact : '',
    matches: search ? `${outside} and (${search.condition(values.length + 1)})` : outside,
  });
  return many(tx, {
    name: `conversations.listNear.${name}.${search ? 'search.' : ''}${windowNameSuffix(window)}`,
    text: selectConversationsSql(rows, window),
    values: [...values, ...(search?.values ?? []), ...nearValues(window)],
    planEachTime: true,
  });
}

/** Lists all conversations of a broad search: finds all of them and then sorts them. */
export function listBroadMatches(
  tx: TenantRead,
  { filter, search }: BroadQuery,
  window: Window,
): Promise<Conversation[]> {
  const { text, values, name } = buildConditions(tx, filter);
  const first = values.length + search.values.length + 1;
  const hits = broadMatchesSql(`${text} ${sinceClause(window, first + 4)}`, search.condition(values.length + 1));
  return many(tx, {
    name: `conversations.listBroad.${name}.${windowNameSuffix(window)}`,
    text: selectConversationsSql(sortedHitsSql(window, first, hits), window),
    values: [...values, ...search.values, ...windowValues(window)],
    planEachTime: true,
  });
}

export function countBroadMatches(tx: TenantRead, { filter, search }: BroadQuery, window: Since): Promise<number> {
  const { text, values, name } = buildConditions(tx, filter);
  const since = sinceClause(window, values.length + search.values.length + 1);
  return oneValue(tx, {
    name: `conversations.countBroad.${name}${sinceNameSuffix(window)}`,
    text: `select count(*)::int as count from (${broadMatchesSql(`${text} ${since}`, search.condition(values.length + 1))}) hits`,
    values: [...values, ...search.values, window.since],
    planEachTime: true,
  });
}

/** Returns the ids of at most `most` conversations of a broad search, in no particular order. */
export async function selectBroadMatches(
  tx: TenantRead,
  { filter, search }: BroadQuery,
  most: number,
): Promise<string[]> {
  const { text, values, name } = buildConditions(tx, filter);
  const matches = broadMatchesSql(text, search.condition(values.length + 1));
  const rows = await many<{ _id: string }>(tx, {
    name: `conversations.selectBroad.${name}`,
    text: `select hits._id from (${matches}) hits limit $${values.length + search.values.length + 1}`,
    values: [...values, ...search.values, most],
    planEachTime: true,
  });
  return rows.map(({ _id }) => _id);
}

/**
 * Reads each contact and each conversation once. Without `is true` PostgreSQL would make a join of it; for a new company without statistics
 * it expects few rows and compares every contact with every conversation.
 */
const broadMatchesSql = (text: string, found: string): string =>
  `select ${HIT} from conversations v where ${text}
    and (v.contact_id in (select c._id from contacts c where c.company_id = $1 and (${found}))) is true`;
