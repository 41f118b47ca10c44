/** Pages and cursors, the same for every list. */
import { Type, type Static, type TSchema } from 'typebox';
import { AppError, invalid } from './errors.ts';
import { isId } from './ids.ts';
import { oneOf, strict } from './schema.ts';
import { MAX_PAGE_BYTES } from './sizes.ts';

// Beyond this a page number costs the database more than anyone gains; the cursor has no such end.
const DEEPEST_OFFSET = 1_000_000;

const SORTS = ['createdAt', '-createdAt'] as const;
type Sort = (typeof SORTS)[number];

/** The query string of a list; `filters` are its own parameters. */
export function pageQuery<F extends Record<string, TSchema>>(defaultSort: Sort, filters: F) {
  const parameters = {
    page: Type.Integer({ minimum: 1, maximum: DEEPEST_OFFSET, default: 1 }),
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    skipCount: Type.Boolean({
      default: false,
      description: 'Leaves the total out; totalCount and totalPages are null',
    }),
    sort: oneOf(SORTS, { default: defaultSort }),
    after: Type.Optional(
      Type.String({ maxLength: 200, description: 'nextCursor of the page before; costs the same at any depth' }),
    ),
    ...filters,
  };
  // A default stands in for each that is not sent, so the document must not ask for any.
  return strict(parameters, { required: [] });
}

export interface PageQuery {
  page: number;
  limit: number;
  skipCount: boolean;
  sort: Sort;
  after?: string | undefined;
}

const PageMeta = Type.Object({
  page: Type.Integer(),
  limit: Type.Integer(),
  totalCount: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  totalPages: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  hasNextPage: Type.Boolean(),
  nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});

export function pageOf<T extends TSchema>(record: T) {
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
  descending: boolean;
  /** The last row before this page, by (created_at, _id); null without a cursor. */
  after: { createdAt: string; id: string } | null;
}

export function windowOf(query: PageQuery): Window {
  const descending = query.sort.startsWith('-');
  const offset = query.after === undefined ? (query.page - 1) * query.limit : 0;
  if (offset > DEEPEST_OFFSET) throw invalid('page', `reaches beyond ${DEEPEST_OFFSET} records; use after`, 'TOO_DEEP');
  return {
    limit: query.limit + 1,
    offset,
    descending,
    after: query.after === undefined ? null : readCursor(query.after),
  };
}

function readCursor(text: string): { createdAt: string; id: string } {
  const [time = '', id = ''] = Buffer.from(text, 'base64url').toString('latin1').split('|');
  const milliseconds = /^\d{1,15}$/.test(time) ? Number(time) : Number.NaN;
  // 253402300799999 is the end of the year 9999, the last that PostgreSQL and ISO 8601 write the same way.
  if (!(milliseconds <= 253_402_300_799_999) || !isId(id)) throw invalid('after', 'is not a cursor of this list');
  return { createdAt: new Date(milliseconds).toISOString(), id };
}

const writeCursor = (row: { createdAt: string; _id: string }): string =>
  Buffer.from(`${Date.parse(row.createdAt)}|${row._id}`).toString('base64url');

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
export async function pageFrom<R extends { _id: string; createdAt: string }>(
  query: PageQuery,
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
      page: query.page,
      limit: query.limit,
      totalCount,
      totalPages: totalCount === null ? null : Math.ceil(totalCount / query.limit),
      hasNextPage,
      nextCursor: hasNextPage && last ? writeCursor(last) : null,
    },
  };
}

/**
 * The tail of a list's statement: cursor, order, limit, offset. `$first` and the three numbers after it are its parameters
 * (created_at and _id of the cursor, limit, offset); windowValues() gives them in this order.
 */
export function windowClause(window: Window, first: number): string {
  const [compare, direction] = window.descending ? ['<', 'desc'] : ['>', 'asc'];
  const time = `$${first}::timestamptz`;
  const cursor = window.after ? `and (created_at, _id) ${compare} (${time}, $${first + 1}::text)` : '';
  const unused = window.after ? '' : `and ${time} is null and $${first + 1}::text is null`;
  return `${cursor}${unused} order by created_at ${direction}, _id ${direction} limit $${first + 2} offset $${first + 3}`;
}

export function windowValues(window: Window): unknown[] {
  return [window.after?.createdAt ?? null, window.after?.id ?? null, window.limit, window.offset];
}

/** Statements that differ by their tail need names that differ, too. */
export function windowName(window: Window): string {
  return `${window.descending ? 'desc' : 'asc'}${window.after ? '.after' : ''}`;
}

interface MeasuredPage {
  /** The select list of a record. */
  columns: string;
  /** What `columns` and `joins` call the record; `t` when absent. */
  as?: string;
  /** What else a record shows. */
  joins?: string;
  /** Selects everything of the rows of the window. */
  rows: string;
  /** `t.created_at desc, t._id desc` */
  order: string;
  /** The parameter that holds the window's limit. */
  limit: string;
  /** How many bytes a row `t` has in the answer. */
  bytes?: string;
  /** Of records with custom fields: their context. */
  context?: 'contact' | 'conversation' | 'business';
}

/**
 * The records of a page that is measured before any of them is read: the statement adds up how large they are, by a number that stands
 * beside each, and where they are too large together it reads the first one only and says how many would have fitted. The
 * extra row that shows whether there is a next page is not counted, and the first record is always answered. Large values are not unpacked on the way:
 * the select list is computed last, for the rows that are left.
 */
export function measuredPage(page: MeasuredPage): string {
  const { columns, as = 't', joins = '', rows, order, limit, bytes = 't.record_bytes', context } = page;
  return `select ${columns}, case when ${as}.page_surplus > 0
      then greatest(least(${as}.page_rows, ${limit}::int - 1) - ${as}.page_surplus, 1)::int end as fits
    from (
      select *, count(*) over () as page_rows,
        count(*) filter (where page_upto > ${MAX_PAGE_BYTES} and page_place > 1 and page_place < ${limit}::int) over () as page_surplus
      from (
        select t.*, row_number() over page as page_place, sum(${bytes}${context ? namesOf(context) : ''}) over page as page_upto
        from (${rows}) t window page as (order by ${order} rows unbounded preceding)
      ) measured
    ) ${as} ${joins}
    where ${as}.page_surplus = 0 or ${as}.page_place = 1
    order by ${as}.page_place`;
}

/** The rows behind keys: what is passed over on the way to a page is then looked at by its index alone. */
export const rowsByKey = (table: string, keys: string): string =>
  // `offset 0`: each row by its key, also while there are no statistics of a new company.
  `select t.* from (${keys}) k cross join lateral (select * from ${table} where company_id = $1 and _id = k._id offset 0) t`;

/** The names of all fields of the context, once for each record that has values; one that has none takes five bytes, which is seen without unpacking. */
const namesOf = (context: string): string =>
  ` + case when pg_column_size(t.custom_fields) > 5 then (select field_names_bytes($1, '${context}')) else 0 end`;

/** The order of a window, for `measuredPage`. */
export const windowOrder = ({ descending }: Window): string =>
  descending ? 't.created_at desc, t._id desc' : 't.created_at asc, t._id asc';

/** The parameter of a window's limit, where `first` is that of its first value. */
export const windowLimit = (first: number): string => `$${first + 2}`;
