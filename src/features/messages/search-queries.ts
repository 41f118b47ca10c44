/** The queries for pages of all messages of a company; search.ts chooses between them. */
import { many, oneValue } from '../../platform/store/db.ts';
import { nearRowsSql, nearValues, pageByKeySql, sortedHitsSql } from '../../platform/store/long-list.ts';
import {
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
import { findUnknown } from '../../platform/store/unknown-references.ts';
import { FOUND_IN_PARTS, fromCursorSql, ownPartSql, partsSql } from './part-queries.ts';
import { MESSAGE, toMessage, type MessageRow } from './queries.ts';
import type { Message } from './schemas.ts';

/** The filters of the list; a filter that the request does not use is null. */
export interface MessageFilter {
  conversation: string | null;
  contact: string | null;
  inbox: string | null;
  /** The user whom a note mentions. */
  mentioned: string | null;
  /** The network's id of a message, which is unique in its inbox. */
  external_id: string | null;
  /** Whether the messages have a file. It is combined with a contact or a conversation. */
  has_file: boolean | null;
  search: string | null;
}

interface Conditions {
  /** The rows that the list walks through, with the alias s. */
  list: string;
  /** The conditions on these rows that one index answers in the order of the list. */
  where: string;
  /** Whether the rows are those of the table of words. */
  isOfWords: boolean;
  /** The parameter of the search. With a search the statement begins with its parts. */
  search: string | null;
  /** What is joined to a row for the condition of the search. */
  joins: string;
  /** The condition that is checked for each row. */
  matches: string;
  /** All rows that match, as an index finds them. */
  hits: string;
  /** The values of the parameters; the first is the company. */
  values: unknown[];
  /** The suffix of the statement's name: each text of a prepared statement needs its own name. */
  name: string;
}

// Conversations and contacts have few messages compared with a company, and few notes mention a user. Indexes of messages find these.
const CONDITIONS = {
  conversation: (value: string) => `s.conversation_id = ${value}`,
  contact: (value: string) =>
    `s.conversation_id in (select v._id from conversations v where v.company_id = $1 and v.contact_id = ${value})`,
  // The key of a message contains its inbox.
  external_id: (value: string) =>
    `s._id in (select y.message_id from inboxes b join message_keys y on y.company_id = b.company_id and y.key = message_key(b._id, ${value})
      where b.company_id = $1)`,
  mentioned: (value: string) => `s.mentions @> array[${value}::text] and s.mentions <> '{}'`,
};
/** The messages of a contact are found by its conversations, and those with a file by an index of their own. */
const FILES = {
  contact: (value: string) => `s.contact_id = ${value}`,
  true: 's.attachment_id is not null',
  false: 's.attachment_id is null',
};
/** The filters that few messages match. */
export const THREADS = ['conversation', 'contact', 'external_id', 'mentioned'] as const;

/** The part of a window that decides which table is listed. */
type Order = Pick<Window, 'field' | 'since'>;

/** Returns true for a list that does not need the times of changes. The table of words has it in its order; message_activity has the others. */
export const isByCreation = ({ field, since }: Order): boolean => field === 'createdAt' && since === null;

/** Returns true when one index has the messages in the order of the list, so that nothing has to be searched or sorted. */
export const isInOrder = ({ search, inbox }: MessageFilter, window: Window): boolean =>
  search === null && (isByCreation(window) || (window.field === 'updatedAt' && inbox === null));

/** The messages in the order of their creation with the times of their changes, and the changed ones with the time of their creation. */
const CREATED = `(select w.company_id, w._id, w.inbox_id, w.created_at, m.updated_at from message_search w
    cross join lateral (select updated_at from messages where company_id = w.company_id and _id = w._id offset 0) m) s`;
const CHANGED = `(select a.company_id, a._id, a.inbox_id, a.updated_at, m.created_at from message_activity a
    cross join lateral (select created_at from messages where company_id = a.company_id and _id = a._id offset 0) m) s`;

/** Builds the text with only the filters that are used, so that PostgreSQL can choose the index of each filter. */
function buildConditions({ companyId, sight }: TenantRead, filter: MessageFilter, order: Order): Conditions {
  const values: unknown[] = [companyId];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const { has_file } = filter;
  const used: string[] = ([...THREADS, 'inbox', 'search'] as const).filter((each) => filter[each] !== null);
  if (has_file !== null) used.push(has_file ? 'files' : 'no-files');
  if (sight) used.push('seen');
  const name = used.join('.') || 'all';
  const conditions = has_file ? { ...CONDITIONS, contact: FILES.contact } : CONDITIONS;
  const threads = THREADS.filter((each) => filter[each] !== null).map((each) => conditions[each](bind(filter[each])));
  if (has_file !== null) threads.push(has_file ? FILES.true : FILES.false);
  const inboxes = [
    ...(filter.inbox === null ? [] : [`s.inbox_id = ${bind(filter.inbox)}`]),
    // The policies do not hide words and times of changes, because indexes of words cannot be read under a policy.
    ...(sight ? [`s.inbox_id = any(${bind(sight.inboxes)}::text[])`] : []),
  ];
  const search = filter.search === null ? null : bind(filter.search);
  const where = ['s.company_id = $1', ...inboxes, ...threads].join(' and ');
  const hasThread = threads.length > 0;
  if (isByCreation(order) && !hasThread) {
    const list = 'message_search s';
    const ofWords = { isOfWords: true, search, list, where, values, name };
    if (search === null) return { ...ofWords, joins: '', matches: 'true', hits: `${list} where ${where}` };
    const hits = `${FOUND_IN_PARTS} s where ${where}`;
    return { ...ofWords, joins: ownPartSql('s'), matches: 's.words @@ own.query', hits };
  }
  const joins = search === null ? '' : WORDS;
  const others = { isOfWords: false, search, joins, values, name };
  if (hasThread) {
    const all = `messages s where ${where}`;
    const hits = search === null ? all : `(select * from ${all} offset 0) s ${joins} where true`;
    return { ...others, list: 'messages s', where, matches: 'true', hits };
  }
  const changed = order.field === 'createdAt' ? CHANGED : 'message_activity s';
  const found = `${order.since === null ? 'messages s' : changed} where ${where}`;
  const hits = search === null ? found : foundByWordsSql(where);
  if (order.field === 'createdAt') return { ...others, list: CREATED, where, matches: 'true', hits };
  // The inbox is compared with each of the first rows, because an inbox with few messages could have them anywhere in the order.
  const matches = inboxes.join(' and ') || 'true';
  return { ...others, list: changed, where: 's.company_id = $1', matches, hits };
}

/**
 * The tables of messages and of words are joined row by row, by their keys. Where the statistics do not know a company yet, because most of its
 * messages have just been stored, PostgreSQL expects a single row of it and would compare each row of one table with each of the other.
 * `offset 0` keeps it from that.
 */
const WORDS = `cross join lateral (select from message_search w ${ownPartSql('w')}
    where w.company_id = $1 and w._id = s._id and w.words @@ own.query offset 0) found`;

const foundByWordsSql = (where: string): string =>
  `(select _id as found_id from ${FOUND_IN_PARTS} w offset 0) found
    cross join lateral (select * from messages m where m.company_id = $1 and m._id = found_id offset 0) s where ${where}`;

/** Lists messages in the order of an index. */
export async function listAllMessages(tx: TenantRead, filter: MessageFilter, window: Window): Promise<Message[]> {
  const { list, where, matches, values, name } = buildConditions(tx, { ...filter, search: null }, window);
  const first = values.length + 1;
  const condition = `${where} and ${matches} ${windowClause(window, first)}`;
  const keys = `select ${windowKeyColumns(window)} from ${list} where ${condition}`;
  return readMessagesOf(tx, `listAll.${name}`, window, { keys, values: [...values, ...windowValues(window)] });
}

/** Lists matching messages among the first ones in the order of the list. When they are fewer than a page, more may follow after these. */
export async function listNearMessages(tx: TenantRead, filter: MessageFilter, window: Window): Promise<Message[]> {
  const { isOfWords, search, list, where, joins, matches, values, name } = buildConditions(tx, filter, window);
  const first = values.length + 1;
  const begin = search === null ? '' : partsSql(search, isOfWords ? fromCursorSql(window, first) : undefined);
  const near = nearRowsSql(window, first, { list: `${list} where ${where}`, as: 's', joins, matches });
  const keys = `${begin} ${near}`;
  return readMessagesOf(tx, `listNear.${name}`, window, { keys, values: [...values, ...nearValues(window)] });
}

/** Finds all matching messages by an index and then sorts them. */
export async function lookUpMessages(tx: TenantRead, filter: MessageFilter, window: Window): Promise<Message[]> {
  const { search, hits, values, name } = buildConditions(tx, filter, window);
  const first = values.length + 1;
  const found = `${search === null ? '' : partsSql(search)} select ${windowKeyColumns(window)} from ${hits} ${sinceClause(window, first + 4)}`;
  const keys = sortedHitsSql(window, first, found);
  return readMessagesOf(tx, `lookUp.${name}`, window, { keys, values: [...values, ...windowValues(window)] });
}

interface KeyQuery {
  /** SQL that finds the keys of the messages. */
  keys: string;
  values: unknown[];
}

async function readMessagesOf(
  tx: TenantRead,
  name: string,
  window: Window,
  { keys, values }: KeyQuery,
): Promise<Message[]> {
  const rows = await many<MessageRow>(tx, {
    name: `messages.${name}.${windowNameSuffix(window)}`,
    text: pageByKeySql(window, { keys, table: 'messages', as: 'm', columns: MESSAGE }),
    values,
    planEachTime: true,
  });
  return rows.map(toMessage);
}

export function countAllMessages(tx: TenantRead, filter: MessageFilter, { since }: Since): Promise<number> {
  const { search, hits, values, name } = buildConditions(tx, filter, {
    field: since === null ? 'createdAt' : 'updatedAt',
    since,
  });
  return oneValue(tx, {
    name: `messages.countAll.${name}${sinceNameSuffix({ since })}`,
    text: `${search === null ? '' : partsSql(search)} select count(*)::int as count from ${hits} ${sinceClause({ since }, values.length + 1)}`,
    values: [...values, since],
    planEachTime: true,
  });
}

// Users who are being removed do not count as existing.
const USERS = '(select company_id, _id from users where removed_at is null) u';

/** Returns the names of the filters whose records do not exist. */
export function findUnknownFilters(tx: TenantRead, asked: MessageFilter): Promise<string[]> {
  const tables = { conversation: 'conversations', contact: 'contacts', inbox: 'inboxes', mentioned: USERS };
  return findUnknown(tx, { name: 'messages.findUnknown', tables, asked });
}
