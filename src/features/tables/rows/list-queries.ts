/** The queries for pages of rows and their number; list.ts chooses between them. */
import { many, one, oneValue } from '../../../platform/store/db.ts';
import {
  buildAll,
  heldCondition,
  type BindValue,
  type Condition,
  type Conditions,
} from '../../../platform/store/filters/conditions.ts';
import type { FilterType, Operator } from '../../../platform/store/filters/items.ts';
import { nearRowsSql, nearValues, pageByKeySql } from '../../../platform/store/long-list.ts';
import {
  sinceClause,
  sinceNameSuffix,
  windowClause,
  windowNameSuffix,
  windowSqlParts,
  windowValues,
  type Page,
  type Since,
  type Window,
} from '../../../platform/store/paging.ts';
import { listPage } from '../../../platform/store/plain-list.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { partIndexed } from '../../../platform/store/filters/trigrams.ts';
import { foldText } from '../../../platform/values/words.ts';
import { ROW, type RowRecord } from './queries.ts';

const OF_TABLE = 'company_id = $1 and table_id = $2';

export function listRows(tx: TenantRead, tableId: string, window: Window): Promise<RowRecord[]> {
  return many(tx, {
    name: `tables.listRows.${windowNameSuffix(window)}`,
    text: `select ${ROW} from table_rows where ${OF_TABLE} ${windowClause(window, 3)}`,
    values: [tx.companyId, tableId, ...windowValues(window)],
    // How many rows changed since a moment depends on the moment, so PostgreSQL plans this query for each value.
    ...(window.since === null ? {} : { planEachTime: true }),
  });
}

// A control character separates the values of a row in the search column (see the migration); it is replaced, so that no search matches
// across two values.
const escapeSearch = (search: string): string => search.replaceAll('\u001f', '\u001e');

/** A filter on the values of a column. */
export interface RowFilter {
  key: string;
  type: FilterType;
  operator: Operator;
  /** The value as text, also for numbers and booleans; "" for operators without a value. */
  value: string;
}

export interface RowMatch {
  /** The row has each of these texts. */
  texts: string[];
  filters: RowFilter[];
  /** Only for rows that one contact may learn of: they belong to no one and never did, to this contact, or only to its business. */
  reader?: { contact: string | null };
}

/** Builds the SQL of all conditions of a match. Their parameters follow those of the company and the table. */
export const buildConditions = ({ texts, filters, reader }: RowMatch): Conditions =>
  buildAll(3, (bind) => [
    ...texts.map((text) => searchCondition(text, bind)),
    ...filters.map((filter) => filterCondition(filter, bind)),
    ...(reader ? [readerCondition(reader.contact, bind)] : []),
  ]);

function readerCondition(contact: string | null, bind: BindValue): Condition {
  const value = bind(contact ?? '');
  const exact = `not lost_owner and (contact_id is null or contact_id = ${value}) and (business_id is null
      or business_id = (select c.business_id from contacts c where c.company_id = $1 and c._id = ${value}))`;
  return { exact, indexed: null };
}

// Texts with letters beyond ASCII are few once they are folded, and those with two letters behind one are marked.
const FOLDED = { expression: 'folded', beyondAscii: `pair_mark(folded) = '+'` };

function searchCondition(search: string, bind: BindValue): Condition {
  const value = `fold(${bind(escapeSearch(search))})`;
  const folded = foldText(search);
  return {
    exact: `strpos(folded, ${value}) > 0`,
    indexed:
      partIndexed({ ...FOLDED, value: () => value, folded }, 'contains') ??
      (() => `folded like '%' || like_literal(${value}) || '%'`),
  };
}

// The types whose values stand in the search column as they are compared.
const TEXTS: readonly FilterType[] = ['TEXT', 'SELECT', 'LIST', 'DATE', 'URL'];
const PARTS: readonly Operator[] = ['eq', 'contains', 'starts_with', 'ends_with'];

function filterCondition({ key, type, operator, value }: RowFilter, bind: BindValue): Condition {
  const exact = heldCondition(`(data -> ${bind(key)})`, { type, operator, value }, bind);
  if (!TEXTS.includes(type) || !PARTS.includes(operator)) return { exact, indexed: null };
  const text = escapeSearch(value);
  const looked = { ...FOLDED, value: (more: BindValue) => `fold(${more(text)})`, folded: foldText(text) };
  return { exact, indexed: partIndexed(looked, 'contains') };
}

/**
 * Lists matching rows among the first rows in the order of the list. When they are fewer than a page, more may follow after these.
 */
export function listRowsNear(tx: TenantRead, tableId: string, window: Window, match: RowMatch): Promise<RowRecord[]> {
  const { exact, exactValues: values } = buildConditions(match);
  const first = values.length + 3;
  const rows = nearRowsSql(window, first, {
    list: `table_rows where ${OF_TABLE}`,
    matches: `true${exact}`,
    columns: ROW,
  });
  return many(tx, {
    name: 'tables.listRowsNear',
    text: rows,
    values: [tx.companyId, tableId, ...values, ...nearValues(window)],
    planEachTime: true,
  });
}

/** Lists matching rows by reading in the order of the list, for matches that no index can find. */
export function listMatchingInOrder(
  tx: TenantRead,
  tableId: string,
  window: Window,
  match: RowMatch,
): Promise<RowRecord[]> {
  const { exact, exactValues: values } = buildConditions(match);
  const first = values.length + 3;
  return many(tx, {
    name: 'tables.listMatchingInOrder',
    text: `select ${ROW} from table_rows where ${OF_TABLE}${exact} ${windowClause(window, first)}`,
    values: [tx.companyId, tableId, ...values, ...windowValues(window)],
    planEachTime: true,
  });
}

/** Finds all matching rows and then sorts them; each record has the number of all matches. */
export function lookUpRows(
  tx: TenantRead,
  tableId: string,
  window: Window,
  match: RowMatch,
): Promise<(RowRecord & { total: number })[]> {
  const { exact, indexed, values } = buildConditions(match);
  const first = values.length + 3;
  const { since, cursor, tail } = windowSqlParts(window, first);
  // With `materialized` PostgreSQL plans the look-up by itself; planned together with the limit, it might read all rows in their order.
  return many(tx, {
    name: 'tables.lookUpRows',
    text: `with hits as materialized (
        select row_index, created_at, updated_at, _id from table_rows where ${OF_TABLE}${indexed ?? ''}${exact} ${since}
      )
      ${pageByKeySql(window, {
        keys: `select _id from hits where true ${cursor} ${tail}`,
        table: 'table_rows',
        as: 't',
        columns: `${ROW}, (select count(*)::int from hits) as total`,
      })}`,
    values: [tx.companyId, tableId, ...values, ...windowValues(window)],
    planEachTime: true,
  });
}

/** Returns the number of all rows, as the table counts them. */
export function countRows(tx: TenantRead, tableId: string): Promise<number> {
  return oneValue(tx, {
    name: 'tables.countRows',
    text: 'select row_count as count from tables where company_id = $1 and _id = $2',
    values: [tx.companyId, tableId],
  });
}

/** Returns the number of rows that changed since a moment. */
export function countRowsSince(tx: TenantRead, tableId: string, window: Since): Promise<number> {
  return oneValue(tx, {
    name: `tables.countRowsSince${sinceNameSuffix(window)}`,
    text: `select count(*)::int as count from table_rows where ${OF_TABLE} ${sinceClause(window, 3)}`,
    values: [tx.companyId, tableId, window.since],
    planEachTime: true,
  });
}

/** Returns the number of rows that match. */
export function countMatches(tx: TenantRead, tableId: string, window: Since, match: RowMatch): Promise<number> {
  const { exact, indexed, values } = buildConditions(match);
  return oneValue(tx, {
    name: 'tables.countMatches',
    text: `select count(*)::int as count from table_rows
      where ${OF_TABLE}${indexed ?? ''}${exact} ${sinceClause(window, values.length + 3)}`,
    values: [tx.companyId, tableId, ...values, window.since],
    planEachTime: true,
  });
}

/** The number of matches among the next `reach` rows after an index, and the index of the last of these rows; null when there was none. */
export function countMatchesAfter(
  tx: TenantRead,
  tableId: string,
  match: RowMatch,
  { after, reach }: { after: number; reach: number },
): Promise<{ count: number; last: number | null }> {
  const { exact, exactValues: values } = buildConditions(match);
  const first = values.length + 3;
  return one(tx, {
    name: 'tables.countMatchesAfter',
    text: `select (count(*) filter (where true${exact}))::int as count, max(row_index) as last from (
        select row_index, folded, data, lost_owner, contact_id, business_id from table_rows where ${OF_TABLE} and row_index > $${first}
        order by row_index limit $${first + 1}
      ) near`,
    values: [tx.companyId, tableId, ...values, after, reach],
    planEachTime: true,
  });
}

/** Lists rows of all tables that name the contact. A contact has few rows, so that all of them are found and sorted. */
export function listRowsOfContact(tx: TenantRead, contact: string, window: Window): Promise<Page<RowRecord>> {
  return listPage(tx, window, {
    name: 'tables',
    variant: '.rowsOfContact',
    columns: ROW,
    from: 'table_rows r',
    filter: `company_id = $1 and contact_id = $2
      and exists (select from tables t where t.company_id = r.company_id and t._id = r.table_id and t.removed_at is null)`,
    values: [tx.companyId, contact],
  });
}
