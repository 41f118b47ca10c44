/** The queries for pages of contacts; list.ts chooses between them. */
import { many, oneValue } from '../../../platform/store/db.ts';
import {
  HIT,
  nearRowsSql,
  nearValues,
  orderedRowsSql,
  pageByKeySql,
  sortedHitsSql,
} from '../../../platform/store/long-list.ts';
import {
  isSinceInOrder,
  sinceClause,
  windowClause,
  windowKeyColumns,
  windowNameSuffix,
  windowValues,
  type Since,
  type Window,
} from '../../../platform/store/paging.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { findUnknown } from '../../../platform/store/unknown-references.ts';
import { buildConditions, type ContactMatch } from './filter-queries.ts';
import { CONTACT } from '../queries.ts';
import type { Contact } from '../schemas.ts';

/** Returns SQL for the records of a page. The rows of the page are found first, so that joins are made only for these. */
const selectContactsSql = (keys: string, window: Window): string =>
  pageByKeySql(window, { keys, table: 'contacts', as: 'c', columns: CONTACT });

/** Returns SQL for the contacts in the order that the page needs; further conditions on them follow it. */
const contactsInOrderSql = (window: Window): string =>
  `${orderedRowsSql(window, { table: 'contacts', activity: 'contact_activity' })} c where company_id = $1`;

/** Lists all contacts in the order that the page needs. */
export function listContacts(tx: TenantRead, window: Window): Promise<Contact[]> {
  const table = window.field === 'last_message_at' ? 'contact_activity' : 'contacts';
  const rows = `select ${windowKeyColumns(window)} from ${table} where company_id = $1 ${windowClause(window, 2)}`;
  return many(tx, {
    name: `contacts.list.${windowNameSuffix(window)}`,
    text: selectContactsSql(rows, window),
    values: [tx.companyId, ...windowValues(window)],
  });
}

/**
 * Lists matching contacts among the first contacts in the order of the list. When they are fewer than a page, more may follow after these.
 */
export function listNearContacts(tx: TenantRead, match: ContactMatch, window: Window): Promise<Contact[]> {
  const { exact, exactValues: values } = buildConditions(match);
  const first = values.length + 2;
  const rows = nearRowsSql(window, first, { list: contactsInOrderSql(window), matches: `true${exact}` });
  return many(tx, {
    name: 'contacts.listNear',
    text: selectContactsSql(rows, window),
    values: [tx.companyId, ...values, ...nearValues(window)],
    planEachTime: true,
  });
}

/** Lists matching contacts: finds all of them by the index and then sorts them, or, when no index helps, reads in the order of the list. */
export function listMatchingContacts(tx: TenantRead, match: ContactMatch, window: Window): Promise<Contact[]> {
  const { exact, indexed, values } = buildConditions(match);
  const first = values.length + 2;
  const since = sinceClause(window, first + 4);
  const rows =
    indexed === null && isSinceInOrder(window)
      ? `select ${windowKeyColumns(window)} from ${contactsInOrderSql(window)}${exact} ${windowClause(window, first)}`
      : sortedHitsSql(
          window,
          first,
          `select ${HIT} from contacts where company_id = $1${indexed ?? ''}${exact} ${since}`,
        );
  return many(tx, {
    name: 'contacts.listMatching',
    text: selectContactsSql(rows, window),
    values: [tx.companyId, ...values, ...windowValues(window)],
    planEachTime: true,
  });
}

export function countMatchingContacts(tx: TenantRead, match: ContactMatch, window: Since): Promise<number> {
  const { exact, indexed, values } = buildConditions(match);
  return oneValue(tx, {
    name: 'contacts.count',
    text: `select count(*)::int as count from contacts where company_id = $1${indexed ?? ''}${exact} ${sinceClause(window, values.length + 2)}`,
    values: [tx.companyId, ...values, window.since],
    planEachTime: true,
  });
}

/** Returns the name of the filter when the company has no such business. */
export function findUnknownBusiness(tx: TenantRead, business: string | null): Promise<string[]> {
  return findUnknown(tx, { name: 'contacts.findUnknown', tables: { business: 'businesses' }, asked: { business } });
}
