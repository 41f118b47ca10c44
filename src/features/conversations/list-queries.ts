/** Ways to a page of conversations. Which of them is taken, and why, stands in list.ts. */
import { many, one } from '../../platform/db.ts';
import { measuredPage, rowsByKey } from '../../platform/measured-page.ts';
import {
  isStretch,
  sinceClause,
  sinceName,
  WINDOW_VALUES,
  windowClause,
  windowKeys,
  windowLimit,
  windowName,
  windowOrder,
  windowParts,
  windowValues,
  type Since,
  type Window,
} from '../../platform/paging.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { CONVERSATION } from './queries.ts';
import type { Conversation } from './schemas.ts';

const COLUMNS = {
  status: 'status',
  handled_by: 'handled_by',
  inbox: 'inbox_id',
  contact: 'contact_id',
  owner: 'owner_id',
  attendant: 'attendant_id',
  agent: 'agent_id',
  pipeline: 'pipeline_id',
  step: 'step_id',
} as const;
type Filtered = keyof typeof COLUMNS;
const FILTERED = Object.keys(COLUMNS) as Filtered[];

/** Null where nothing is asked. */
export type ConversationFilter = Record<Filtered | 'tag', string | null> & {
  /** Whose conversations, and which ones besides; null: anybody's. */
  found: { contacts: string[]; id: string | null } | null;
};

interface Conditions {
  text: string;
  /** The company first. */
  values: unknown[];
  /** Another text needs another name. */
  name: string;
}

/** Only what is asked for stands in the text: that is what lets each filter have its index. */
function conditionsOf({ companyId }: TenantRead, filter: ConversationFilter): Conditions {
  const values: unknown[] = [companyId];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const asked = FILTERED.filter((name) => filter[name] !== null);
  const parts = ['v.company_id = $1', ...asked.map((name) => `v.${COLUMNS[name]} = ${bind(filter[name])}`)];
  if (filter.tag !== null) parts.push(`v.tags @> array[${bind(filter.tag)}::text] and v.tags <> '{}'`);
  if (filter.found) {
    const { contacts, id } = filter.found;
    parts.push(`(v.contact_id = any(${bind(contacts)}::text[]) or v._id = ${bind(id)})`);
  }
  const others = [filter.tag === null ? [] : ['tag'], filter.found ? ['found'] : []].flat();
  return { text: parts.join(' and '), values, name: [...asked, ...others].join('.') || 'all' };
}

// As much of a last message as a record shows, with what JSON escapes.
const MAX_SHOWN_BYTES = 25_000;

/** The records of a page, whose rows are found first: what a record looks up is looked up for these only. `limit`: its parameter. */
const recordsOf = (keys: string, window: Window, limit: string): string =>
  measuredPage({
    columns: CONVERSATION,
    as: 'v',
    joins:
      'left join lateral (select * from messages where company_id = $1 and _id = v.last_message_id offset 0) m on true',
    rows: rowsByKey('conversations', keys),
    order: windowOrder(window),
    limit,
    context: 'conversation',
    bytes: `t.record_bytes + coalesce((select least(record_bytes, ${MAX_SHOWN_BYTES}) from messages
      where company_id = $1 and _id = t.last_message_id), 0)`,
  });

const isByActivity = (window: Window): boolean => window.field === 'last_message_at';

/** True where an index has the order of the window for just what is asked. */
export function isWalked(filter: ConversationFilter, window: Window): boolean {
  const asked = [...FILTERED.filter((name) => filter[name] !== null), ...(filter.tag === null ? [] : ['tag'])];
  if (!isStretch(window)) return false;
  if (window.field === 'createdAt') return true;
  return asked.every((name) => isByActivity(window) && name === 'status');
}

/** What a walk in the order of the window goes through. */
function walkedBy(window: Window, filter: ConversationFilter): string {
  if (!isByActivity(window)) return 'conversations v';
  // A status is the first of all conditions.
  const status = filter.status === null ? '' : 'and a.status = $2';
  return `(select a.active_at, a.record_id, v.* from conversation_activity a
      cross join lateral (select * from conversations where company_id = $1 and _id = a.record_id offset 0) v
      where a.company_id = $1 ${status}) v`;
}

export function listConversations(tx: TenantRead, filter: ConversationFilter, window: Window): Promise<Conversation[]> {
  const { text, values, name } = conditionsOf(tx, filter);
  const first = values.length + 1;
  const rows = `select ${windowKeys(window)} from ${walkedBy(window, filter)} where ${text} ${windowClause(window, first)}`;
  return many(tx, {
    name: `conversations.list.${name}.${windowName(window)}`,
    text: recordsOf(rows, window, windowLimit(first)),
    values: [...values, ...windowValues(window)],
    planEachTime: true,
  });
}

// What any order needs of a conversation that was looked up.
const ORDERED = `v.created_at, v.updated_at, coalesce(v.last_message_at, '-infinity') as active_at, v._id, v._id as record_id`;

/** Those that are asked for, looked up and then put in order. Together with the limit it would gamble on the order. */
export function lookUpConversations(
  tx: TenantRead,
  filter: ConversationFilter,
  window: Window,
): Promise<Conversation[]> {
  const { text, values, name } = conditionsOf(tx, filter);
  const first = values.length + 1;
  const { since } = windowParts(window, first);
  return many(tx, {
    name: `conversations.lookUp.${name}.${windowName(window)}`,
    text: recordsOf(
      hitsIn(`select ${ORDERED} from conversations v where ${text} ${since}`, window, first),
      window,
      windowLimit(first),
    ),
    values: [...values, ...windowValues(window)],
    planEachTime: true,
  });
}

/** The keys of the window among rows that have been looked up. */
function hitsIn(found: string, window: Window, first: number): string {
  const { cursor, order } = windowParts(window, first);
  return `with hits as materialized (${found})
    select ${windowKeys(window)} from hits where true ${cursor} order by ${order} limit $${first + 2} offset $${first + 3}`;
}

export async function countConversations(tx: TenantRead, filter: ConversationFilter, window: Since): Promise<number> {
  const { text, values, name } = conditionsOf(tx, filter);
  const { count } = await one<{ count: number }>(tx, {
    name: `conversations.count.${name}${sinceName(window)}`,
    text: `select count(*)::int as count from conversations v where ${text} ${sinceClause(window, values.length + 1)}`,
    values: [...values, window.since],
    planEachTime: true,
  });
  return count;
}

/** A search that a large part of the contacts answers: letters of a name or an address, digits of a number. */
export interface BroadSearch {
  values: (string | null)[];
  /** Of contacts called `c`; `first` is the number of the first value. */
  condition: (first: number) => string;
}

interface BroadAsked {
  filter: ConversationFilter;
  search: BroadSearch;
}

interface NearAsked {
  filter: ConversationFilter;
  search: BroadSearch | null;
}

/** Those among the first `reach` of the order. Fewer than asked for: there may be more further on. */
export function listNear(
  tx: TenantRead,
  { filter, search }: NearAsked,
  window: Window,
  reach: number,
): Promise<Conversation[]> {
  const { text, values, name } = conditionsOf(tx, filter);
  const first = values.length + (search?.values.length ?? 0) + 1;
  const { since, cursor, order } = windowParts(window, first);
  // Each filter has an index in the order of createdAt, and no other.
  const [inside, outside] = window.field === 'createdAt' ? [text, 'true'] : ['v.company_id = $1', text];
  const contact = `cross join lateral (select * from contacts where company_id = $1 and _id = v.contact_id offset 0) c`;
  const found = search ? `and (${search.condition(values.length + 1)})` : '';
  const rows = `select ${windowKeys(window)} from (
      select v.* from (select * from ${walkedBy(window, filter)} where ${inside} ${cursor} order by ${order} limit $${first + WINDOW_VALUES}) v
      ${search ? contact : ''} where ${outside} ${found}
    ) near where true ${since} order by ${order} limit $${first + 2} offset $${first + 3}`;
  return many(tx, {
    name: `conversations.listNear.${name}.${search ? 'search.' : ''}${windowName(window)}`,
    text: recordsOf(rows, window, windowLimit(first)),
    values: [...values, ...(search?.values ?? []), ...windowValues(window), reach],
    planEachTime: true,
  });
}

/** All of them, joined and then put in order. */
export function listBroad(tx: TenantRead, { filter, search }: BroadAsked, window: Window): Promise<Conversation[]> {
  const { text, values, name } = conditionsOf(tx, filter);
  const first = values.length + search.values.length + 1;
  const { since } = windowParts(window, first);
  const found = broad(`${text} ${since}`, search.condition(values.length + 1));
  return many(tx, {
    name: `conversations.listBroad.${name}.${windowName(window)}`,
    text: recordsOf(hitsIn(found, window, first), window, windowLimit(first)),
    values: [...values, ...search.values, ...windowValues(window)],
    planEachTime: true,
  });
}

export async function countBroad(tx: TenantRead, { filter, search }: BroadAsked, window: Since): Promise<number> {
  const { text, values, name } = conditionsOf(tx, filter);
  const since = sinceClause(window, values.length + search.values.length + 1);
  const { count } = await one<{ count: number }>(tx, {
    name: `conversations.countBroad.${name}${sinceName(window)}`,
    text: `select count(*)::int as count from (${broad(`${text} ${since}`, search.condition(values.length + 1))}) hits`,
    values: [...values, ...search.values, window.since],
    planEachTime: true,
  });
  return count;
}

/**
 * One look at each contact and one at each conversation. `is true` keeps the planner from making a join of it: while it has no
 * statistics of a company that is new, it takes that for a few rows, and compares everything with everything.
 */
const broad = (text: string, found: string): string =>
  `select ${ORDERED} from conversations v where ${text}
    and (v.contact_id in (select c._id from contacts c where c.company_id = $1 and (${found}))) is true`;

/** Of the records that a filter names, those that are not there. */
export async function findUnknown(
  tx: TenantRead,
  asked: Pick<ConversationFilter, (typeof REFERENCES)[number]>,
): Promise<string[]> {
  const row = await one<Record<string, boolean>>(tx, {
    name: 'conversations.findUnknown',
    text: `select ${REFERENCES.map(
      (name, index) => `$${index + 2}::text is not null and not exists (
        select 1 from ${TABLES[name]} where company_id = $1 and _id = $${index + 2}) as "${name}"`,
    ).join(', ')}`,
    values: [tx.companyId, ...REFERENCES.map((name) => asked[name])],
  });
  return REFERENCES.filter((name) => row[name]);
}

// Who is being removed is not there any more.
const USERS = '(select company_id, _id from users where removed_at is null) u';
const TABLES = {
  inbox: 'inboxes',
  contact: 'contacts',
  owner: USERS,
  attendant: USERS,
  agent: 'agents',
  pipeline: 'pipelines',
  step: 'pipeline_steps',
} as const;
const REFERENCES = Object.keys(TABLES) as (keyof typeof TABLES)[];
