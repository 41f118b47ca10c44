/**
 * The condition by which an update or a delete finds the rows that a common table expression has picked and locked: `row` has the company and
 * the `key` of a row of `picked`. For each picked row it looks into the primary key. An array of one value is searched like a value, but it
 * leaves the planner no way to join: with `=` it read a whole table in the order of its key while it believed the table to be empty. So a
 * prepared statement has the right plan even if it was planned before its tables had rows.
 *
 * The rows are locked where they are picked, which checks them again, so what has changed since the statement began is not picked.
 */
export const isPicked = (row: string, key = '_id', picked = 'picked'): string =>
  `${row}.company_id = any(array[${picked}.company_id]) and ${row}.${key} = any(array[${picked}.${key}])`;
