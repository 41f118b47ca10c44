/** Pagination by page numbers and cursors, the same for every list. */
import { createHash } from 'node:crypto';
import { Type, type Static, type TSchema } from 'typebox';
import { invalid } from '../values/errors.ts';
import { isId } from '../values/ids.ts';
import { namesRecord, nullable, oneOf, strict, Timestamp, plain } from '../values/schema.ts';
import { declareLimit } from '../values/limits.ts';
import {
  ORDERS,
  readCursorPlace,
  SORTS,
  toCursorPlace,
  type OrderField,
  type PlacedRecord,
  type Sort,
} from './orders.ts';

// The largest offset of a page number; a larger one costs the database too much. Cursors have no such limit.
const DEEPEST_OFFSET = declareLimit(1_000_000, {
  topic: 'Records',
  what: 'Records that a page number can reach',
  beyond: '400; use `after`',
});

const MAX_PAGE_RECORDS = declareLimit(100, { topic: 'Records', what: 'Records per page', beyond: '400' });

/** Makes the schema of the query string of a list. `filters` are the parameters of that list, and `sorts` the orders that it supports. */
export function pageQuery<F extends Record<string, TSchema>, const S extends readonly Sort[] = typeof SORTS>(
  defaultSort: S[number],
  filters: F,
  sorts: S = SORTS as unknown as S,
) {
  const parameters = {
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DEEPEST_OFFSET,
        description: 'Starts at 1, the default; cannot be combined with `after`',
      }),
    ),
    limit: Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_RECORDS,
      default: 20,
      description: 'The most records per page',
    }),
    skipCount: Type.Boolean({
      default: false,
      description: 'Omits the total; totalCount and totalPages are null',
    }),
    sort: oneOf(sorts, {
      default: defaultSort,
      description: 'The sort order; a minus sorts the largest or newest first',
    }),
    after: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'nextCursor of the previous page, of the same list, sort and filters; equally fast at any depth',
      }),
    ),
    updated_since: Type.Optional(
      Type.String({ ...Timestamp, description: 'Only records updated at this time or later; see /docs/lists' }),
    ),
    ...filters,
  };
  // Every parameter has a default, so the document must not mark any as required.
  return strict(parameters, { required: [] });
}

/** Makes the schema of the parameter `search` of a list; `kinds` are the records whose ids the search also compares. */
export const searchParameter = (description: string, ...kinds: string[]) =>
  Type.Optional(Type.String({ maxLength: 200, description, ...(kinds.length > 0 ? namesRecord(...kinds) : {}) }));

/** Returns the search text of a query without surrounding blanks; null when nothing is left. */
export const readSearch = (query: { search?: string | undefined }): string | null => query.search?.trim() || null;

export interface PageQuery {
  page?: number | undefined;
  limit: number;
  skipCount: boolean;
  sort: Sort;
  after?: string | undefined;
  updated_since?: string | undefined;
}

const PageMeta = plain.object('The position of this page in the list', {
  page: nullable(plain.integer('The number of the page, from 1; null if the page was requested with `after`')),
  limit: plain.integer('The most records per page'),
  totalCount: nullable(plain.integer('How many records match; null with `skipCount`')),
  totalPages: nullable(plain.integer('The number of pages; null with `skipCount`')),
  hasNextPage: plain.flag('Whether there are more records after this page'),
  nextCursor: nullable(plain.text('The value of `after` for the next page; null on the last one')),
});

export function pageSchema<T extends TSchema>(record: T) {
  return Type.Object({
    result: Type.Array(record, { description: 'The records of this page, in the requested order' }),
    meta: PageMeta,
  });
}

export interface Page<R> {
  result: R[];
  meta: Static<typeof PageMeta>;
}

/** The data with which the SQL statement of a list selects one page. */
export interface Window {
  limit: number;
  offset: number;
  field: OrderField;
  descending: boolean;
  /** The cursor: sort value (as PostgreSQL reads it) and id of the last row before this page; null without a cursor. */
  after: { at: string; id: string } | null;
  /** With a time, only records that were changed at that time or later are listed; null for all records. */
  since: string | null;
  /** A short hash of the list, its sort and its filters. A cursor contains it, because it is valid for the same list only. */
  seal: string;
  /** What was asked, for the answer. */
  asked: Pick<PageQuery, 'page' | 'limit' | 'skipCount' | 'after'>;
}

/** The part of a window that a counting statement needs. */
export type Since = Pick<Window, 'since'>;

/**
 * Turns a list's query into its window. `list` identifies the list, including ids in its path. Throws for a cursor of another list, sort or
 * filter.
 */
export function pageWindow(list: string, query: PageQuery): Window {
  const { page, limit, after, sort } = query;
  if (after !== undefined && page !== undefined) throw invalid('page', 'cannot be combined with after');
  const offset = ((page ?? 1) - 1) * limit;
  if (offset > DEEPEST_OFFSET) throw invalid('page', `reaches beyond ${DEEPEST_OFFSET} records; use after`, 'TOO_DEEP');
  const { field, descending } = parseSort(sort);
  const seal = makeCursorSeal(list, query);
  return {
    limit: limit + 1,
    offset,
    field,
    descending,
    after: after === undefined ? null : readCursor(after, field, seal),
    since: query.updated_since ?? null,
    seal,
    asked: query,
  };
}

function parseSort(sort: Sort): { field: OrderField; descending: boolean } {
  const descending = sort.startsWith('-');
  return { field: (descending ? sort.slice(1) : sort) as OrderField, descending };
}

// Parameters that may differ between two pages of the same list.
const PAGE_PARAMETERS = new Set(['page', 'limit', 'skipCount', 'after']);

function makeCursorSeal(list: string, query: PageQuery): string {
  const asked = { ...query, ...('search' in query ? { search: readSearch(query as { search?: string }) } : {}) };
  const parts = Object.entries(asked).filter(([name, value]) => !PAGE_PARAMETERS.has(name) && (value ?? null) !== null);
  const text = JSON.stringify([list, parts.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function readCursor(text: string, field: OrderField, seal: string): { at: string; id: string } {
  const [at = '', id = '', sealed = ''] = Buffer.from(text, 'base64url').toString('latin1').split('|');
  const place = readCursorPlace(at, field);
  if (place === null || !isId(id)) throw invalid('after', 'is not a cursor of this list');
  if (sealed !== seal)
    throw invalid('after', 'is a cursor of another list, sort or set of filters: begin again without it', 'OTHER_LIST');
  return { at: place, id };
}

/** Returns the cursor that continues a list after this record. */
export function makeCursorAfter({ field, seal }: Pick<Window, 'field' | 'seal'>, record: PlacedRecord): string {
  return Buffer.from(`${toCursorPlace(record, field)}|${record._id}|${seal}`).toString('base64url');
}

/**
 * Builds the answer of a list from the rows of its window. `count` is called only when the caller wants the total. `rest` is the place in the
 * order of creation from which the caller has to go on when the list was not read far enough to fill the page.
 */
export async function makePage<R extends PlacedRecord>(
  window: Window,
  rows: R[],
  count: () => Promise<number>,
  rest: Window['after'] = null,
): Promise<Page<R>> {
  const { page = 1, limit, skipCount, after } = window.asked;
  const result = rows.slice(0, limit);
  const last = rows.length > limit ? result.at(-1) : rest && { _id: rest.id, createdAt: rest.at };
  const totalCount = skipCount ? null : await count();
  return {
    result,
    meta: {
      page: after === undefined ? page : null,
      limit,
      totalCount,
      totalPages: totalCount === null ? null : Math.ceil(totalCount / limit),
      hasNextPage: Boolean(last),
      nextCursor: last ? makeCursorAfter(window, last) : null,
    },
  };
}

/**
 * Returns the end of a list's SQL statement: conditions for `since` and the cursor, order, limit and offset. It uses five parameters from
 * `$first` on (sort value and id of the cursor, limit, offset, since), which windowValues() returns in this order.
 */
export function windowClause(window: Window, first: number): string {
  const { since, cursor, tail } = windowSqlParts(window, first);
  return `${since} ${cursor} ${tail}`;
}

type WindowParts = Record<'since' | 'cursor' | 'order' | 'tail', string>;

/** The parts of windowClause(), for statements that need them in different places. `tail` has `leading` orders, order, limit and offset. */
export function windowSqlParts(window: Window, first: number, leading = ''): WindowParts {
  const { at, id, type } = ORDERS[window.field];
  const [compare, direction] = window.descending ? ['<', 'desc'] : ['>', 'asc'];
  const place = `$${first}::text::${type}`;
  const lastId = `$${first + 1}::text`;
  const after =
    id === null
      ? `${at} ${compare} ${place} and ${lastId} is not null`
      : `(${at}, ${id}) ${compare} (${place}, ${lastId})`;
  const order = [at, ...(id === null ? [] : [id])].map((column) => `${column} ${direction}`).join(', ');
  return {
    since: sinceClause(window, first + 4),
    cursor: window.after ? `and ${after}` : `and ${place} is null and ${lastId} is null`,
    order,
    tail: `order by ${leading}${order} limit $${first + 2} offset $${first + 3}`,
  };
}

/** Returns true when the records that match `since` are contiguous in the sort order, so that an index scan can stop after them. */
export const isSinceInOrder = ({ field, since }: Window): boolean => since === null || field === 'updatedAt';

/** The number of parameters that windowClause() uses. */
export const WINDOW_VALUES = 5;

export function windowValues(window: Window): unknown[] {
  return [window.after?.at ?? null, window.after?.id ?? null, window.limit, window.offset, window.since];
}

/** Returns the SQL condition for `since`, for statements without a window. Its parameter has the number `place` and is always used. */
export const sinceClause = ({ since }: Since, place: number): string =>
  since === null ? `and $${place}::timestamptz is null` : `and updated_at >= $${place}::timestamptz`;

/** Returns the part of a prepared statement's name that depends on the window, because different texts need different names. */
export function windowNameSuffix({ field, descending, after, since }: Window): string {
  return `${field}.${descending ? 'desc' : 'asc'}${after ? '.after' : ''}${sinceNameSuffix({ since })}`;
}

/** Returns the end of the name of a statement that counts records: the statement with `updated_since` has another text. */
export const sinceNameSuffix = ({ since }: Since): string => (since === null ? '' : '.since');

/** Returns the sort order of a window for records with the alias `as`. */
export function windowOrderSql({ field, descending }: Window, as: string): string {
  const direction = descending ? 'desc' : 'asc';
  const at =
    field === 'last_message_at'
      ? `coalesce(${as}.last_message_at, '-infinity')`
      : `${as}.${field === 'waiting_since' ? field : ORDERS[field].at}`;
  return `${at} ${direction}, ${as}._id ${direction}`;
}

/** Returns the sort column of a window whose order a separate activity table has; null for any other. */
export const findActivityColumn = ({ field }: Window): string | null =>
  ORDERS[field].id === 'record_id' ? ORDERS[field].at : null;

/** Returns the sort columns and the id (as `_id`), for statements that first find the ids of a page and then read its records. */
export function windowKeyColumns({ field }: Window): string {
  const { at, id } = ORDERS[field];
  return id === null || id === '_id' ? `${at}, _id` : `${at}, ${id}, ${id} as _id`;
}

/** Where walkPages is: the window of the next page. */
export interface WalkedWindow {
  limit: number;
  skipCount: true;
  after?: string;
}

/** Reads a whole list, page after page. Each page is read when the one before was worked off. */
export async function* walkPages<R>(
  limit: number,
  read: (window: WalkedWindow) => Promise<Page<R>>,
): AsyncGenerator<R[]> {
  let after: string | null = null;
  do {
    const page: Page<R> = await read({ limit, skipCount: true, ...(after !== null && { after }) });
    if (page.result.length > 0) yield page.result;
    after = page.meta.nextCursor;
  } while (after !== null);
}
