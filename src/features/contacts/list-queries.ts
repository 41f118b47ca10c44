/** The queries for pages of contacts; list.ts chooses between them. */
import { many, one } from '../../platform/db.ts';
import { measuredPage, rowsByKey } from '../../platform/measured-page.ts';
import {
  isStretch,
  sinceClause,
  WINDOW_VALUES,
  windowClause,
  windowKeys,
  windowLimit,
  windowName,
  windowOrder,
  windowParts,
  windowValues,
  type Since,
  type Window,
} from '../../platform/paging.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { buildConditions, type ContactMatch } from './filter-queries.ts';
import { CONTACT } from './queries.ts';
import type { Contact } from './schemas.ts';

/**
 * Returns SQL for the records of a page. The rows of the page are found first, so
 * that joins are made only for these. `limit` is the placeholder of the page size.
 */
const selectRecords = (keys: string, window: Window, limit: string): string =>
  measuredPage({
    columns: CONTACT,
    as: 'c',
    rows: rowsByKey('contacts', keys),
    order: windowOrder(window),
    limit,
    context: 'contact',
  });

const isByActivity = (window: Window): boolean => window.field === 'last_message_at';

/** Returns SQL for the contacts in the order that the page needs. Conditions on it name columns of contacts and repeat the company. */
const orderedRows = (window: Window): string =>
  isByActivity(window)
    ? `(select a.active_at, a.record_id, c.* from contact_activity a
        cross join lateral (select * from contacts where company_id = $1 and _id = a.record_id offset 0) c where a.company_id = $1) contacts`
    : 'contacts';

/** Lists all contacts in the order that the page needs. */
export function listContacts(tx: TenantRead, window: Window): Promise<Contact[]> {
  const table = isByActivity(window) ? 'contact_activity' : 'contacts';
  const rows = `select ${windowKeys(window)} from ${table} where company_id = $1 ${windowClause(window, 2)}`;
  return many(tx, {
    name: `contacts.list.${windowName(window)}`,
    text: selectRecords(rows, window, windowLimit(2)),
    values: [tx.companyId, ...windowValues(window)],
  });
}

/**
 * Lists matching contacts among the first `reach` contacts in the order of
 * the list. When they are fewer than a page, more may follow after these.
 */
export function listNear(tx: TenantRead, match: ContactMatch, window: Window, reach: number): Promise<Contact[]> {
  const { exact, exactValues: values } = buildConditions(match);
  const first = values.length + 2;
  const { cursor, order, since } = windowParts(window, first);
  const last = first + WINDOW_VALUES;
  const near = `select * from ${orderedRows(window)} where company_id = $1 ${cursor} order by ${order} limit $${last}`;
  const rows = `select ${windowKeys(window)} from (${near}) near where true${exact} ${since}
    order by ${order} limit $${first + 2} offset $${first + 3}`;
  return many(tx, {
    name: 'contacts.listNear',
    text: selectRecords(rows, window, windowLimit(first)),
    values: [tx.companyId, ...values, ...windowValues(window), reach],
    planEachTime: true,
  });
}

/** Lists matching contacts: finds all of them by the index and then sorts them, or, when no index helps, reads in the order of the list. */
export function listMatching(tx: TenantRead, match: ContactMatch, window: Window): Promise<Contact[]> {
  const { exact, indexed, values } = buildConditions(match);
  const first = values.length + 2;
  const { cursor, order, since } = windowParts(window, first);
  const tail = `${cursor} order by ${order} limit $${first + 2} offset $${first + 3}`;
  // With `materialized` PostgreSQL plans the look-up by itself; planned together with the limit, it might read all contacts in their order.
  const rows =
    indexed === null && isStretch(window)
      ? `select ${windowKeys(window)} from ${orderedRows(window)} where company_id = $1${exact} ${since} ${tail}`
      : `with hits as materialized (select created_at, updated_at, coalesce(last_message_at, '-infinity') as active_at, _id, _id as record_id
          from contacts where company_id = $1${indexed ?? ''}${exact} ${since})
        select ${windowKeys(window)} from hits where true ${tail}`;
  return many(tx, {
    name: 'contacts.listMatching',
    text: selectRecords(rows, window, windowLimit(first)),
    values: [tx.companyId, ...values, ...windowValues(window)],
    planEachTime: true,
  });
}

export async function countMatching(tx: TenantRead, match: ContactMatch, window: Since): Promise<number> {
  const { exact, indexed, values } = buildConditions(match);
  const { count } = await one<{ count: number }>(tx, {
    name: 'contacts.count',
    text: `select count(*)::int as count from contacts where company_id = $1${indexed ?? ''}${exact} ${sinceClause(window, values.length + 2)}`,
    values: [tx.companyId, ...values, window.since],
    planEachTime: true,
  });
  return count;
}
