/** The statements of a list that is the rows of one table under one condition: a page of it, and its total. */
import { many, one, type Executor, type Statement } from './db.ts';
import { measuredPage } from './measured-page.ts';
import {
  sinceClause,
  sinceName,
  windowClause,
  windowLimit,
  windowName,
  windowOrder,
  windowValues,
  type Since,
  type Window,
} from './paging.ts';

export interface PlainList {
  /** What the names of its statements begin with: `users`. */
  name: string;
  /** Tells statements with different texts apart, where `filter` is not always the same; begins with a dot. */
  variant?: string;
  /** The select list of a record. */
  columns: string;
  /** The table, and what `columns` calls it. */
  from: string;
  /** The condition, with a parameter for each of `values`. */
  filter: string;
  values: unknown[];
  /** Of records that may be large: what measuredPage() needs beside the rest. */
  measured?: Pick<Parameters<typeof measuredPage>[0], 'as' | 'context'>;
}

/** A page's rows, and one more when another page follows. */
export function pageStatement(list: PlainList, window: Window): Statement {
  const { name, variant = '', columns, from, filter, values, measured } = list;
  const first = values.length + 1;
  const rows = (selected: string): string =>
    `select ${selected} from ${from} where ${filter} ${windowClause(window, first)}`;
  const page = { columns, rows: rows('*'), order: windowOrder(window), limit: windowLimit(first) };
  return {
    name: `${name}.list${variant}.${windowName(window)}`,
    text: measured ? measuredPage({ ...page, ...measured }) : rows(columns),
    values: [...values, ...windowValues(window)],
  };
}

export const listRows = <R>(executor: Executor, list: PlainList, window: Window): Promise<R[]> =>
  many<R>(executor, pageStatement(list, window));

export async function countRows(executor: Executor, list: PlainList, window: Since): Promise<number> {
  const { name, variant = '', from, filter, values } = list;
  const { count } = await one<{ count: number }>(executor, {
    name: `${name}.count${variant}${sinceName(window)}`,
    text: `select count(*)::int as count from ${from} where ${filter} ${sinceClause(window, values.length + 1)}`,
    values: [...values, window.since],
  });
  return count;
}
