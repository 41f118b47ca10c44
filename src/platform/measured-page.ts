/** Builds SQL for pages of records that may be large. The database measures a page before it reads the records. */
import { MAX_PAGE_BYTES } from './sizes.ts';

interface MeasuredPage {
  /** The select list of a record. */
  columns: string;
  /** The alias of the record in `columns` and `joins`; `t` when absent. */
  as?: string;
  /** Joins for further values of a record. */
  joins?: string;
  /** A query that selects all columns of the rows of the page. */
  rows: string;
  /** The sort order, for example `t.created_at desc, t._id desc`. */
  order: string;
  /** The SQL parameter of the limit of the page, such as `$3`. */
  limit: string;
  /** An SQL expression for the bytes of a row `t` in the answer. */
  bytes?: string;
  /** The context of the custom fields, for records that have them. */
  context?: 'contact' | 'conversation' | 'business';
}

/**
 * Returns the SQL of a page with a limit on its size. The statement adds up the stored sizes of the records. When
 * they are too large together, it returns only the first record and, as `fits`, how many would have fitted. The
 * first record is always returned, and the extra row that shows whether there is a next page is not counted. Large
 * values are not decompressed for this, because the select list is computed last, for the remaining rows only.
 */
export function measuredPageSql(page: MeasuredPage): string {
  const { columns, as = 't', joins = '', rows, order, limit, bytes = 't.record_bytes', context } = page;
  return `select ${columns}, case when ${as}.page_surplus > 0
      then greatest(least(${as}.page_rows, ${limit}::int - 1) - ${as}.page_surplus, 1)::int end as fits
    from (
      select *, count(*) over () as page_rows,
        count(*) filter (where page_upto > ${MAX_PAGE_BYTES} and page_place > 1 and page_place < ${limit}::int) over () as page_surplus
      from (
        select t.*, row_number() over page as page_place, sum(${bytes}${context ? fieldNamesBytesSql(context) : ''}) over page as page_upto
        from (${rows}) t window page as (order by ${order} rows unbounded preceding)
      ) measured
    ) ${as} ${joins}
    where ${as}.page_surplus = 0 or ${as}.page_place = 1
    order by ${as}.page_place`;
}

/** Selects the rows of `table` for the ids that `keys` selects. Rows that a page skips are then read from the index only. */
export const rowsByKeySql = (table: string, keys: string): string =>
  // `offset 0` forces PostgreSQL to look up each row by its key, even without statistics of a new company.
  `select t.* from (${keys}) k cross join lateral (select * from ${table} where company_id = $1 and _id = k._id offset 0) t`;

/**
 * Returns SQL that adds the bytes of all field names for each record with custom fields. A record without any has five bytes in this
 * column, which is visible without decompressing it.
 */
const fieldNamesBytesSql = (context: string): string =>
  ` + case when pg_column_size(t.custom_fields) > 5 then (select field_names_bytes($1, '${context}')) else 0 end`;
