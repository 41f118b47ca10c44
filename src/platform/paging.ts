/** Pages and cursors, the same for every list. */
import { createHash } from 'node:crypto';
import { Type, type Static, type TSchema } from 'typebox';
import { AppError, invalid } from './errors.ts';
import { isId } from './ids.ts';
import { oneOf, strict, Timestamp } from './schema.ts';

// Beyond this a page number costs the database more than anyone gains; the cursor has no such end.
const DEEPEST_OFFSET = 1_000_000;

/** The fields that a list can be in the order of, and the columns behind them: what comes first decides, the id where it is equal. */
const ORDERS = {
  createdAt: { at: 'created_at', id: '_id' },
  updatedAt: { at: 'updated_at', id: '_id' },
  // Of the table of activity that stands beside contacts and conversations: an index on themselves would make each message dear.
  last_message_at: { at: 'active_at', id: 'record_id' },
  // No two rows of a table have the same.
  row_index: { at: 'row_index', id: null },
} as const;
type OrderField = keyof typeof ORDERS;

type Sort = OrderField | `-${OrderField}`;
export const SORTS = ['createdAt', '-createdAt', '-updatedAt'] as const satisfies readonly Sort[];

/** The query string of a list; `filters` are its own parameters, `sorts` what it can be sorted by. */
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
        description: 'From 1, which is the default; not together with after',
      }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    skipCount: Type.Boolean({
      default: false,
      description: 'Leaves the total out; totalCount and totalPages are null',
    }),
    sort: oneOf(sorts, { default: defaultSort }),
    after: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'nextCursor of the page before, of the same list, sort and filters; costs the same at any depth',
      }),
    ),
    updated_since: Type.Optional(
      Type.String({ ...Timestamp, description: 'Those whose updatedAt is this moment or later' }),
    ),
    ...filters,
  };
  // A default stands in for each that is not sent, so the document must not ask for any.
  return strict(parameters, { required: [] });
}

/** What a list is searched for. Blanks around it mean nothing, and nothing but blanks is no search. */
export const searchParameter = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));

/** The search of a query; null: there is none. */
export const readSearch = (query: { search?: string | undefined }): string | null => query.search?.trim() || null;

export interface PageQuery {
  page?: number | undefined;
  limit: number;
  skipCount: boolean;
  sort: Sort;
  after?: string | undefined;
  updated_since?: string | undefined;
}

const PageMeta = Type.Object({
  page: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  limit: Type.Integer(),
  totalCount: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  totalPages: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  hasNextPage: Type.Boolean(),
  nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});

export function pageSchema<T extends TSchema>(record: T) {
  return Type.Object({ result: Type.Array(record), meta: PageMeta });
}

export interface Page<R> {
  result: R[];
  meta: Static<typeof PageMeta>;
}

/** What a list's statement needs: one row more than asked for tells whether a page follows. */
export interface Window {
  limit: number;
  offset: number;
  field: OrderField;
  descending: boolean;
  /** The last row before this page: its place in the order, as PostgreSQL reads it, and its id; null without a cursor. */
  after: { at: string; id: string } | null;
  /** Only what was changed at this moment or later; null: all. */
  since: string | null;
  /** What its cursors are good for: the list, its sort and its filters, in a few letters. */
  seal: string;
}

/** What a statement that only counts needs of it. */
export type Since = Pick<Window, 'since'>;

/** The first rows of a list that nobody turns the pages of, the newest first. */
export const newest = (limit: number): Window => ({
  limit,
  offset: 0,
  field: 'createdAt',
  descending: true,
  after: null,
  since: null,
  seal: '',
});

/** `list`: which one it is, with what its path names. A cursor is good for this list, sort and filters alone. */
export function pageWindow(list: string, query: PageQuery): Window {
  const { page, limit, after, sort } = query;
  if (after !== undefined && page !== undefined) throw invalid('page', 'can not be given together with after');
  const offset = ((page ?? 1) - 1) * limit;
  if (offset > DEEPEST_OFFSET) throw invalid('page', `reaches beyond ${DEEPEST_OFFSET} records; use after`, 'TOO_DEEP');
  const { field, descending } = parseSort(sort);
  const seal = makeSeal(list, query);
  return {
    limit: limit + 1,
    offset,
    field,
    descending,
    after: after === undefined ? null : readCursor(after, field, seal),
    since: query.updated_since ?? null,
    seal,
  };
}

function parseSort(sort: Sort): { field: OrderField; descending: boolean } {
  const descending = sort.startsWith('-');
  return { field: (descending ? sort.slice(1) : sort) as OrderField, descending };
}

// What may differ between two pages of one walk.
const TURNED = new Set(['page', 'limit', 'skipCount', 'after']);

function makeSeal(list: string, query: PageQuery): string {
  const asked = { ...query, ...('search' in query ? { search: readSearch(query as { search?: string }) } : {}) };
  const parts = Object.entries(asked).filter(([name, value]) => !TURNED.has(name) && (value ?? null) !== null);
  const text = JSON.stringify([list, parts.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function readCursor(text: string, field: OrderField, seal: string): { at: string; id: string } {
  const [at = '', id = '', sealed = ''] = Buffer.from(text, 'base64url').toString('latin1').split('|');
  const place = readPlace(at, field);
  if (place === null || !isId(id)) throw invalid('after', 'is not a cursor of this list');
  if (sealed !== seal)
    throw invalid('after', 'is a cursor of another list, sort or set of filters: begin again without it', 'OTHER_LIST');
  return { at: place, id };
}

/** The place of a cursor as PostgreSQL reads it; null where it is none. */
function readPlace(at: string, field: OrderField): string | null {
  if (field === 'row_index') return /^\d{1,9}$/.test(at) ? at : null;
  // Whose last message has not been comes after everybody else.
  if (at === '' && field === 'last_message_at') return '-infinity';
  const milliseconds = /^\d{1,15}$/.test(at) ? Number(at) : Number.NaN;
  // 253402300799999 is the end of the year 9999, the last that PostgreSQL and ISO 8601 write the same way.
  return milliseconds <= 253_402_300_799_999 ? new Date(milliseconds).toISOString() : null;
}

/** What a record shows of the orders that it can be in. */
interface Placed {
  _id: string;
  createdAt: string;
  updatedAt?: string;
  last_message_at?: string | null;
  row_index?: number;
}

/** The cursor behind a record. */
export function cursorAfter({ field, seal }: Pick<Window, 'field' | 'seal'>, record: Placed): string {
  const at = record[field];
  const place = typeof at === 'string' ? Date.parse(at) : (at ?? '');
  return Buffer.from(`${place}|${record._id}|${seal}`).toString('base64url');
}

/** What a statement of `measuredPage` says with each record: null where the page is answered, else how many records would have fitted. */
export interface Measured {
  fits?: number | null;
}

function withoutMeasure<R>({ fits: _fits, ...record }: R & Measured): R {
  return record as unknown as R;
}

function answerTooLarge(fits: number): AppError {
  const message = `must be at most ${fits} here: more of these records are larger than 8 MB together`;
  return new AppError('ANSWER_TOO_LARGE', `limit ${message}`, [{ path: 'limit', code: 'ANSWER_TOO_LARGE', message }]);
}

/** The answer of a list from the rows of its window. `count` is asked only when the caller wants it. */
export async function pageFrom<R extends Placed>(
  query: PageQuery,
  window: Window,
  rows: (R & Measured)[],
  count: () => Promise<number>,
): Promise<Page<R>> {
  const fits = rows[0]?.fits ?? null;
  if (fits !== null) throw answerTooLarge(fits);
  const result = rows.slice(0, query.limit).map(withoutMeasure);
  const hasNextPage = rows.length > query.limit;
  const last = result.at(-1);
  const totalCount = query.skipCount ? null : await count();
  return {
    result,
    meta: {
      page: query.after === undefined ? (query.page ?? 1) : null,
      limit: query.limit,
      totalCount,
      totalPages: totalCount === null ? null : Math.ceil(totalCount / query.limit),
      hasNextPage,
      nextCursor: hasNextPage && last ? cursorAfter(window, last) : null,
    },
  };
}

/**
 * The tail of a list's statement: what was changed since, cursor, order, limit, offset. `$first` and the four numbers after it are its
 * parameters (place and id of the cursor, limit, offset, since); windowValues() gives them in this order.
 */
export function windowClause(window: Window, first: number): string {
  const { since, cursor, order } = windowParts(window, first);
  return `${since} ${cursor} order by ${order} limit $${first + 2} offset $${first + 3}`;
}

/** Its parts, for statements that need them in other places. */
export function windowParts(window: Window, first: number): { since: string; cursor: string; order: string } {
  const { at, id } = ORDERS[window.field];
  const [compare, direction] = window.descending ? ['<', 'desc'] : ['>', 'asc'];
  const place = `$${first}::text::${window.field === 'row_index' ? 'int' : 'timestamptz'}`;
  const lastId = `$${first + 1}::text`;
  const after =
    id === null
      ? `${at} ${compare} ${place} and ${lastId} is not null`
      : `(${at}, ${id}) ${compare} (${place}, ${lastId})`;
  return {
    since: sinceClause(window, first + 4),
    cursor: window.after ? `and ${after}` : `and ${place} is null and ${lastId} is null`,
    order: [at, ...(id === null ? [] : [id])].map((column) => `${column} ${direction}`).join(', '),
  };
}

/** True where what was changed since is one stretch of the order, so that a walk ends with it. */
export const isStretch = ({ field, since }: Window): boolean => since === null || field === 'updatedAt';

/** How many parameters windowClause() has. */
export const WINDOW_VALUES = 5;

export function windowValues(window: Window): unknown[] {
  return [window.after?.at ?? null, window.after?.id ?? null, window.limit, window.offset, window.since];
}

/** Only what was changed since, for statements without a window; `place`: of its parameter, which is there in any case. */
export const sinceClause = ({ since }: Since, place: number): string =>
  since === null ? `and $${place}::timestamptz is null` : `and updated_at >= $${place}::timestamptz`;

/** Statements that differ by their tail need names that differ, too. */
export function windowName({ field, descending, after, since }: Window): string {
  return `${field}.${descending ? 'desc' : 'asc'}${after ? '.after' : ''}${sinceName({ since })}`;
}

/** The same of statements that only count. */
export const sinceName = ({ since }: Since): string => (since === null ? '' : '.since');

/** The order of a window, for `measuredPage`. */
export function windowOrder({ field, descending }: Window): string {
  const direction = descending ? 'desc' : 'asc';
  const at = field === 'last_message_at' ? `coalesce(t.last_message_at, '-infinity')` : `t.${ORDERS[field].at}`;
  return `${at} ${direction}, t._id ${direction}`;
}

/** The columns of the order and the id (as `_id`), for statements that find the keys of a page before they read its records. */
export function windowKeys({ field }: Window): string {
  const { at, id } = ORDERS[field];
  return id === null || id === '_id' ? `${at}, _id` : `${at}, ${id}, ${id} as _id`;
}

/** The parameter of a window's limit, where `first` is that of its first value. */
export const windowLimit = (first: number): string => `$${first + 2}`;
