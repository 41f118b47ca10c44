/** SQL statements for lists whose records are the rows of one table under one condition: a page of them, and the total. */
import { many, oneValue, type Executor, type Statement } from './db.ts';
import {
  makePage,
  sinceClause,
  sinceNameSuffix,
  windowClause,
  windowNameSuffix,
  windowValues,
  type Page,
  type Since,
  type Window,
} from './paging.ts';
import type { PlacedRecord } from './orders.ts';

export interface PlainList extends Pick<Statement, 'planEachTime'> {
  /** The prefix of the statements' names, such as `users`. */
  name: string;
  /** A suffix of the statements' names for each variant of `filter`; the suffix begins with a dot. */
  variant?: string;
  /** The select list of a record. */
  columns: string;
  /** The table and its alias in `columns`. */
  from: string;
  /** The SQL condition, with a parameter for each of `values`. */
  filter: string;
  values: unknown[];
}

export function countRows(executor: Executor, list: PlainList, window: Since): Promise<number> {
  const { name, variant = '', columns: _columns, from, filter, values, ...planning } = list;
  return oneValue(executor, {
    name: `${name}.count${variant}${sinceNameSuffix(window)}`,
    text: `select count(*)::int as count from ${from} where ${filter} ${sinceClause(window, values.length + 1)}`,
    values: [...values, window.since],
    ...planning,
  });
}

/** Reads a page of the list, and the total unless the query skips it. */
export async function listPage<R extends PlacedRecord>(
  executor: Executor,
  window: Window,
  list: PlainList,
): Promise<Page<R>> {
  const { name, variant = '', columns, from, filter, values, ...planning } = list;
  const rows = await many<R>(executor, {
    name: `${name}.list${variant}.${windowNameSuffix(window)}`,
    text: `select ${columns} from ${from} where ${filter} ${windowClause(window, values.length + 1)}`,
    values: [...values, ...windowValues(window)],
    ...planning,
  });
  return makePage(window, rows, () => countRows(executor, list, window));
}
