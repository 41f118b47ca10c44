/** Ways to a page of conversations. Which of them is taken, and why, stands in list.ts. */
import { many, one } from '../../platform/db.ts';
import {
  measuredPage,
  rowsByKey,
  windowClause,
  windowLimit,
  windowName,
  windowOrder,
  windowValues,
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

export function listConversations(tx: TenantRead, filter: ConversationFilter, window: Window): Promise<Conversation[]> {
  const { text, values, name } = conditionsOf(tx, filter);
  const tail = windowClause(window, values.length + 1);
  // What was found is few: looked up and then put in order. Together with the limit it would gamble on the order.
  const rows = filter.found
    ? `with hits as materialized (select created_at, _id from conversations v where ${text})
      select created_at, _id from hits where true ${tail}`
    : `select created_at, _id from conversations v where ${text} ${tail}`;
  return many(tx, {
    name: `conversations.list.${name}.${windowName(window)}`,
    text: recordsOf(rows, window, windowLimit(values.length + 1)),
    values: [...values, ...windowValues(window)],
    planEachTime: true,
  });
}

export async function countConversations(tx: TenantRead, filter: ConversationFilter): Promise<number> {
  const { text, values, name } = conditionsOf(tx, filter);
  const { count } = await one<{ count: number }>(tx, {
    name: `conversations.count.${name}`,
    text: `select count(*)::int as count from conversations v where ${text}`,
    values,
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

/** Those among the first `reach` of the order. Fewer than asked for: there may be more further on. */
export function listNear(
  tx: TenantRead,
  { filter, search }: BroadAsked,
  window: Window,
  reach: number,
): Promise<Conversation[]> {
  const { text, values, name } = conditionsOf(tx, filter);
  const direction = window.descending ? 'desc' : 'asc';
  const first = values.length + search.values.length + 1;
  const rows = `select near.created_at, near._id
    from (select created_at, _id, contact_id from conversations v where ${text} ${windowClause(window, first)}) near
      cross join lateral (select * from contacts where company_id = $1 and _id = near.contact_id offset 0) c
    where ${search.condition(values.length + 1)}
    order by near.created_at ${direction}, near._id ${direction} limit $${first + 4} offset $${first + 5}`;
  return many(tx, {
    name: `conversations.listNear.${name}.${windowName(window)}`,
    text: recordsOf(rows, window, `$${first + 4}`),
    values: [
      ...values,
      ...search.values,
      ...windowValues({ ...window, limit: reach, offset: 0 }),
      window.limit,
      window.offset,
    ],
    planEachTime: true,
  });
}

/** All of them, joined and then put in order. */
export function listBroad(tx: TenantRead, { filter, search }: BroadAsked, window: Window): Promise<Conversation[]> {
  const { text, values, name } = conditionsOf(tx, filter);
  const first = values.length + search.values.length + 1;
  const rows = `with hits as materialized (${broad(text, search.condition(values.length + 1))})
    select created_at, _id from hits where true ${windowClause(window, first)}`;
  return many(tx, {
    name: `conversations.listBroad.${name}.${windowName(window)}`,
    text: recordsOf(rows, window, windowLimit(first)),
    values: [...values, ...search.values, ...windowValues(window)],
    planEachTime: true,
  });
}

export async function countBroad(tx: TenantRead, { filter, search }: BroadAsked): Promise<number> {
  const { text, values, name } = conditionsOf(tx, filter);
  const { count } = await one<{ count: number }>(tx, {
    name: `conversations.countBroad.${name}`,
    text: `select count(*)::int as count from (${broad(text, search.condition(values.length + 1))}) hits`,
    values: [...values, ...search.values],
    planEachTime: true,
  });
  return count;
}

/**
 * One look at each contact and one at each conversation. `is true` keeps the planner from making a join of it: while it has no
 * statistics of a company that is new, it takes that for a few rows, and compares everything with everything.
 */
const broad = (text: string, found: string): string =>
  `select v.created_at, v._id from conversations v where ${text}
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
