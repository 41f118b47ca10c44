/** Ways to a page of contacts. Which of them is taken, and why, stands in list.ts. */
import { many, one } from '../../platform/db.ts';
import {
  measuredPage,
  rowsByKey,
  windowClause,
  windowLimit,
  windowName,
  windowOrder,
  windowValues,
  type Window,
} from '../../platform/paging.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { conditionsOf, type ContactMatch } from './filter-queries.ts';
import { CONTACT } from './queries.ts';
import type { Contact } from './schemas.ts';

/** The records of a page, whose rows are found first: what a record looks up is looked up for these only. `limit`: its parameter. */
const recordsOf = (keys: string, window: Window, limit: string): string =>
  measuredPage({
    columns: CONTACT,
    as: 'c',
    rows: rowsByKey('contacts', keys),
    order: windowOrder(window),
    limit,
    context: 'contact',
  });

/** All contacts, in their order. */
export function listContacts(tx: TenantRead, window: Window): Promise<Contact[]> {
  const rows = `select created_at, _id from contacts where company_id = $1 ${windowClause(window, 2)}`;
  return many(tx, {
    name: `contacts.list.${windowName(window)}`,
    text: recordsOf(rows, window, windowLimit(2)),
    values: [tx.companyId, ...windowValues(window)],
  });
}

/** Those that match among the first `reach` of the order. Fewer than asked for: there may be more further on. */
export function listNear(tx: TenantRead, match: ContactMatch, window: Window, reach: number): Promise<Contact[]> {
  const { exact, exactValues: values } = conditionsOf(match);
  const direction = window.descending ? 'desc' : 'asc';
  const first = values.length + 2;
  const near = `select * from contacts where company_id = $1 ${windowClause(window, first)}`;
  const rows = `select created_at, _id from (${near}) near where true${exact}
    order by created_at ${direction}, _id ${direction} limit $${first + 4} offset $${first + 5}`;
  return many(tx, {
    name: 'contacts.listNear',
    text: recordsOf(rows, window, `$${first + 4}`),
    values: [
      tx.companyId,
      ...values,
      ...windowValues({ ...window, limit: reach, offset: 0 }),
      window.limit,
      window.offset,
    ],
    planEachTime: true,
  });
}

/** Those that match, by looking them all up and then putting them in order; when there is nothing to look up, in order. */
export function listMatching(tx: TenantRead, match: ContactMatch, window: Window): Promise<Contact[]> {
  const { exact, indexed, values } = conditionsOf(match);
  const tail = windowClause(window, values.length + 2);
  // Kept apart, the look-up is planned for what it finds; together with the limit it would gamble on the order.
  const rows =
    indexed === null
      ? `select created_at, _id from contacts where company_id = $1${exact} ${tail}`
      : `with hits as materialized (select created_at, _id from contacts where company_id = $1${indexed}${exact})
        select created_at, _id from hits where true ${tail}`;
  return many(tx, {
    name: 'contacts.listMatching',
    text: recordsOf(rows, window, windowLimit(values.length + 2)),
    values: [tx.companyId, ...values, ...windowValues(window)],
    planEachTime: true,
  });
}

export async function countMatching(tx: TenantRead, match: ContactMatch): Promise<number> {
  const { exact, indexed, values } = conditionsOf(match);
  const { count } = await one<{ count: number }>(tx, {
    name: 'contacts.count',
    text: `select count(*)::int as count from contacts where company_id = $1${indexed ?? ''}${exact}`,
    values: [tx.companyId, ...values],
    planEachTime: true,
  });
  return count;
}
