/**
 * The statements for the parts in which the index of words has the messages of a large company; sql/messages.sql makes them. A search looks through
 * one part after the other.
 */
import { many } from '../../platform/store/db.ts';
import { pageByKeySql } from '../../platform/store/long-list.ts';
import { windowNameSuffix, windowSqlParts, windowValues, type Window } from '../../platform/store/paging.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { MESSAGE, toMessage, type MessageRow } from './queries.ts';
import type { Message } from './schemas.ts';

/**
 * Returns the beginning of a query that uses `parts`, those of the company with the query for the words of the search in each. `only` are
 * conditions and an order.
 */
export const partsSql = (search: string, only = 'order by starts_at desc'): string =>
  `with parts as materialized (
    select l.*, message_part_query(message_prefix($1, l.part), ${search}) as query from list_message_parts($1) l ${only})`;

/** Limits partsSql() to those from the cursor of a page on, in the order of the page. `first` is the number of its first parameter. */
export function fromCursorSql({ descending }: Window, first: number): string {
  const place = `$${first}::text::timestamptz`;
  return descending
    ? `where starts_at <= coalesce(${place}, 'infinity') order by starts_at desc`
    : `where ends_at > coalesce(${place}, '-infinity') order by starts_at`;
}

// The messages of a part, which PostgreSQL has to look up through the index of words.
const IN_PART = '(select * from message_search where company_id = $1 and words @@ query offset 0)';

/** All rows of message_search that match. */
export const FOUND_IN_PARTS = `(select w.* from parts p cross join lateral ${IN_PART} w)`;

/** Joins a row of message_search with its part as `own`. The parts are in the order of the rows, so the first ones are those of most rows. */
export const ownPartSql = (row: string): string =>
  `cross join lateral (select query from parts p where p.part is not distinct from ${row}.part limit 1) own`;

export interface WordSearch {
  search: string;
  inbox: string | null;
}

export interface Found {
  messages: Message[];
  /** The cursor with which the search goes on when its time was over before the page was full. */
  rest: Window['after'];
}

/** Lists matching messages in the order of creation. After `ms` it goes on to no further part; null is no limit. */
export async function listInParts(
  tx: TenantRead,
  { search, inbox }: WordSearch,
  place: Window,
  ms: number | null,
): Promise<Found> {
  const window = { ...place, field: 'createdAt', since: null } as const;
  const values: unknown[] = [tx.companyId, search, ms];
  const only = inbox === null ? ['true'] : [`inbox_id = $${values.push(inbox)}`];
  if (tx.sight) only.push(`inbox_id = any($${values.push(tx.sight.inboxes)}::text[])`);
  const first = values.length + 1;
  const rows = await many<MessageRow & { edge: string | null }>(tx, {
    name: `messages.listInParts.${inbox === null ? 'all' : 'inbox'}${tx.sight ? '.seen' : ''}.${windowNameSuffix(window)}`,
    text: walkSql(window, first, only.join(' and ')),
    values: [...values, ...windowValues(window)],
    planEachTime: true,
  });
  const messages = rows.filter(({ _id }) => _id !== null).map(({ edge: _edge, ...row }) => toMessage(row));
  const edge = rows[0]?.edge ?? null;
  return { messages, rest: edge === null || messages.length === window.limit ? null : placeBeyond(window, edge) };
}

/** Returns SQL that looks through one part after the other, and returns where the last one ended with each message. */
function walkSql(window: Window, first: number, only: string): string {
  const [direction, edge, end] = window.descending
    ? ['desc', 'starts_at', '-infinity']
    : ['asc', 'ends_at', 'infinity'];
  const { since, cursor, order, tail } = windowSqlParts(window, first);
  const most = `$${first + 2}::bigint + $${first + 3}::bigint`;
  const found = `select created_at, _id from ${IN_PART} w where ${only} ${since} ${cursor} order by ${order} limit ${most}`;
  const keys = `select created_at, _id from walk cross join unnest(times, ids) key (created_at, _id) ${tail}`;
  const page = pageByKeySql(window, { keys, table: 'messages', as: 'm', columns: MESSAGE });
  return `with recursive parts as materialized (
      select l.*, row_number() over (order by starts_at ${direction}) as place from list_message_parts($1) l ${fromCursorSql(window, first)}
    ), walk as (
      select 0::bigint as place, null::timestamptz as edge, 0 as total, null::timestamptz[] as times, null::text[] collate "C" as ids
      union all
      select p.place, p.${edge}, total + count, k.times, k.ids from walk join parts p on p.place = walk.place + 1
        cross join lateral (select message_part_query(message_prefix($1, p.part), $2) as query offset 0) q
        cross join lateral (select count(*)::int, array_agg(created_at) as times, array_agg(_id) as ids from (${found}) found) k
        where total < ${most} and (walk.place = 0 or $3::float8 is null
          or clock_timestamp() - statement_timestamp() < $3 * interval '1 millisecond')
    )
    select edge, m.* from (select nullif(edge, '${end}') as edge from walk order by place desc limit 1) walked left join (${page}) m on true
    order by m."createdAt" ${direction}, m._id ${direction}`;
}

const FIRST_ID = '0'.repeat(24);
const LAST_ID = 'f'.repeat(24);

/** Returns the place of a cursor between the parts that were looked through and the others. */
const placeBeyond = ({ descending }: Window, edge: string): { at: string; id: string } =>
  descending ? { at: new Date(Date.parse(edge) - 1).toISOString(), id: LAST_ID } : { at: edge, id: FIRST_ID };

/** Whether a page goes on where a search has ended early. */
export const isContinued = ({ after }: Window): boolean => after?.id === FIRST_ID || after?.id === LAST_ID;
