/** Pages of records that may be large: how much they are is known before any of them is read. */
import { MAX_PAGE_BYTES } from './sizes.ts';

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
        select t.*, row_number() over page as page_place, sum(${bytes}${context ? fieldNamesBytes(context) : ''}) over page as page_upto
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
const fieldNamesBytes = (context: string): string =>
  ` + case when pg_column_size(t.custom_fields) > 5 then (select field_names_bytes($1, '${context}')) else 0 end`;
