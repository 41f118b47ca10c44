/** The queries for pages of all messages of a company; search.ts chooses between them. */
import { many, one } from '../../platform/db.ts';
import { nearRowsSql, nearValues, sortedHitsSql } from '../../platform/long-list.ts';
import { measuredPageSql, rowsByKeySql } from '../../platform/measured-page.ts';
import {
  sinceClause,
  sinceNameSuffix,
  windowClause,
  windowKeyColumns,
  windowLimitParameter,
  windowNameSuffix,
  windowOrderSql,
  windowValues,
  type Since,
  type Window,
} from '../../platform/paging.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { findUnknown } from '../../platform/unknown-references.ts';
import { MESSAGE, toMessage, type MessageRow } from './queries.ts';
import type { Message } from './schemas.ts';

/** The filters of the list; a filter that the request does not use is null. */
export interface MessageFilter {
  conversation: string | null;
  contact: string | null;
  inbox: string | null;
  /** The user whom a note mentions. */
  mentioned: string | null;
  search: string | null;
}

interface Conditions {
  /** The table whose rows are listed, with its alias. */
  table: string;
  /** The conditions that one index answers in the order of the list. */
  walked: string;
  /** The condition of the search. */
  matches: string;
  /** The values of the parameters; the first is the company. */
  values: unknown[];
  /** The suffix of the statement's name: each text of a prepared statement needs its own name. */
  name: string;
}

// Conversations and contacts have few messages compared with a company, and few notes mention a user. Indexes of messages find these.
const CONDITIONS = {
  conversation: (value: string) => `m.conversation_id = ${value}`,
  contact: (value: string) =>
    `m.conversation_id in (select v._id from conversations v where v.company_id = $1 and v.contact_id = ${value})`,
  mentioned: (value: string) => `m.mentions @> array[${value}::text] and m.mentions <> '{}'`,
};
/** The filters that few messages match. */
export const THREADS = ['conversation', 'contact', 'mentioned'] as const;

/** The part of a window that decides which table is listed. */
type Order = Pick<Window, 'field' | 'since'>;

/** Returns true for a list that does not need the times of changes. It is read from the table of words, which has no such times. */
const isByCreation = ({ field, since }: Order): boolean => field === 'createdAt' && since === null;

/** Returns true when one index has the messages in the order of the list, so that nothing has to be searched or sorted. */
export const isInOrder = ({ search, inbox }: MessageFilter, window: Window): boolean =>
  search === null && (isByCreation(window) || (window.field === 'updatedAt' && inbox === null));

/** Builds the text with only the filters that are used, so that PostgreSQL can choose the index of each filter. */
function buildConditions({ companyId }: TenantRead, filter: MessageFilter, order: Order): Conditions {
  const values: unknown[] = [companyId];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const asked = ([...THREADS, 'inbox', 'search'] as const).filter((name) => filter[name] !== null);
  const threads = THREADS.filter((name) => filter[name] !== null).map((name) => CONDITIONS[name](bind(filter[name])));
  const inbox = filter.inbox === null ? [] : [`s.inbox_id = ${bind(filter.inbox)}`];
  const thread =
    threads.length === 0
      ? []
      : [`s._id in (select m._id from messages m where m.company_id = $1 and ${threads.join(' and ')})`];
  const words = filter.search === null ? 'true' : `words @@ message_query($1, ${bind(filter.search)})`;
  const byWords = `s._id in (select w._id from message_search w where w.company_id = $1 and ${words})`;
  return {
    table: isByCreation(order) ? 'message_search s' : 'messages s',
    walked: ['s.company_id = $1', ...inbox, ...thread].join(' and '),
    matches: filter.search === null || isByCreation(order) ? words : byWords,
    values,
    name: asked.join('.') || 'all',
  };
}

/** Returns SQL for the records of a page, whose ids are found first. */
const selectMessagesSql = (keys: string, window: Window, first: number): string =>
  measuredPageSql({
    columns: MESSAGE,
    as: 'm',
    rows: rowsByKeySql('messages', keys),
    order: windowOrderSql(window),
    limit: windowLimitParameter(first),
  });

/** Lists messages in the order of an index. */
export async function listAllMessages(tx: TenantRead, filter: MessageFilter, window: Window): Promise<Message[]> {
  const { table, walked, values, name } = buildConditions(tx, { ...filter, search: null }, window);
  const first = values.length + 1;
  const keys = `select ${windowKeyColumns(window)} from ${table} where ${walked} ${windowClause(window, first)}`;
  return readMessagesOf(tx, `listAll.${name}`, window, { keys, first, values: [...values, ...windowValues(window)] });
}

/** Lists matching messages among the first ones in the order of the list. When they are fewer than a page, more may follow after these. */
export async function listNearMessages(tx: TenantRead, filter: MessageFilter, window: Window): Promise<Message[]> {
  const { table, walked, matches, values, name } = buildConditions(tx, filter, window);
  const first = values.length + 1;
  const keys = nearRowsSql(window, first, { list: `${table} where ${walked}`, as: 's', matches });
  return readMessagesOf(tx, `listNear.${name}`, window, { keys, first, values: [...values, ...nearValues(window)] });
}

/** Finds all matching messages by an index and then sorts them. */
export async function lookUpMessages(tx: TenantRead, filter: MessageFilter, window: Window): Promise<Message[]> {
  const { table, walked, matches, values, name } = buildConditions(tx, filter, window);
  const first = values.length + 1;
  const hits = `select ${windowKeyColumns(window)} from ${table} where ${walked} and ${matches} ${sinceClause(window, first + 4)}`;
  const keys = sortedHitsSql(window, first, hits);
  return readMessagesOf(tx, `lookUp.${name}`, window, { keys, first, values: [...values, ...windowValues(window)] });
}

interface KeyQuery {
  /** SQL that finds the keys of the messages. */
  keys: string;
  /** The number of the window's first value. */
  first: number;
  values: unknown[];
}

async function readMessagesOf(
  tx: TenantRead,
  name: string,
  window: Window,
  { keys, first, values }: KeyQuery,
): Promise<Message[]> {
  const rows = await many<MessageRow>(tx, {
    name: `messages.${name}.${windowNameSuffix(window)}`,
    text: selectMessagesSql(keys, window, first),
    values,
    planEachTime: true,
  });
  return rows.map(toMessage);
}

export async function countAllMessages(tx: TenantRead, filter: MessageFilter, { since }: Since): Promise<number> {
  const { table, walked, matches, values, name } = buildConditions(tx, filter, { field: 'createdAt', since });
  const { count } = await one<{ count: number }>(tx, {
    name: `messages.countAll.${name}${sinceNameSuffix({ since })}`,
    text: `select count(*)::int as count from ${table} where ${walked} and ${matches} ${sinceClause({ since }, values.length + 1)}`,
    values: [...values, since],
    planEachTime: true,
  });
  return count;
}

// Users who are being removed do not count as existing.
const USERS = '(select company_id, _id from users where removed_at is null) u';

/** Returns which of the records that the filters name do not exist. */
export function findUnknownReferences(tx: TenantRead, asked: MessageFilter): Promise<string[]> {
  const tables = { conversation: 'conversations', contact: 'contacts', inbox: 'inboxes', mentioned: USERS };
  return findUnknown(tx, { name: 'messages.findUnknown', tables, asked });
}
