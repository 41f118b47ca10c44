/** The SQL by which claims are fair: rows of a queue table, a few of each company in turn. */
import type { ClaimCapacity } from './queue.ts';

/** A queue table. Needs an index on (company_id, `order`), where `waiting`. */
export interface QueueTable {
  table: string;
  /** The condition of the partial index; it begins with a column of the table. Absent where every row of the table waits. */
  waiting?: string;
  /** A column that gives the order within a company. */
  order: string;
  /** What the statement reads of the picked rows beside their company: the other column of the primary key comes first. */
  columns: string;
}

/**
 * Common table expressions, of which the last one, `picked`, holds the locked rows to claim; they follow `with recursive`. The statement's
 * first five parameters are those of `pickValues`. The walk over companies follows the partial index by its whole key, because by company
 * alone the planner would take the primary key and read the whole history; so it costs one look for each company that waits, however many
 * rows wait.
 */
export const pickInTurn = ({
  table,
  waiting = 'company_id is not null',
  order,
  columns,
}: QueueTable): string => `queues as (
    (select company_id from ${table} where ${waiting} order by company_id, ${order} limit 1)
    union all
    select (select q.company_id from ${table} q where q.${waiting} and q.company_id > c.company_id
      order by q.company_id, q.${order} limit 1)
    from queues c where c.company_id is not null
  ), turns as (
    select c.company_id, coalesce(b.free, $2) as free, count(*) over () as companies
    from queues c left join unnest($3::text[], $4::int[]) as b (company_id, free) on b.company_id = c.company_id
    where c.company_id is not null and coalesce(b.free, $2) > 0
    order by (c.company_id > $5) desc, c.company_id
    limit $1
  ), picked as (
    select q.* from turns t cross join lateral (
      select company_id, ${columns} from ${table} q where q.company_id = t.company_id and q.${waiting}
      order by q.company_id, q.${order} limit least(t.free, ($1 + t.companies - 1) / t.companies)
      for update skip locked
    ) q limit $1
  )`;

/** The values of the first five parameters of a statement with `pickInTurn`. */
export const pickValues = ({ slots, first, free, after }: ClaimCapacity): unknown[] => [
  slots,
  first,
  [...free.keys()],
  [...free.values()],
  after,
];
