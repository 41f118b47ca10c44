import { exec, many, one } from '../../platform/db.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';

/** Where a removed record stands until nothing names it. */
export type Departing = 'users' | 'businesses';

export function releaseInboxes(tx: TenantTx, user: string): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseInboxes',
    text: 'update inboxes set default_owner = null, updated_at = now() where company_id = $1 and default_owner = $2',
    values: [tx.companyId, user],
  });
}

/** The next ones of which the user is owner or attendant, so many of each; those that somebody is writing into are left for later. */
export function releaseConversations(tx: TenantTx, user: string, limit: number): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'departures.releaseConversations',
    text: `update conversations set owner_id = nullif(owner_id, $2), attendant_id = nullif(attendant_id, $2), updated_at = now()
      where company_id = $1 and _id = any(
        array(select _id from conversations where company_id = $1 and owner_id = $2 limit $3 for no key update skip locked)
        || array(select _id from conversations where company_id = $1 and attendant_id = $2 limit $3 for no key update skip locked))
      returning _id`,
    values: [tx.companyId, user, limit],
  });
}

/** By what a contact names them. */
const NAMED_BY_CONTACTS = { users: 'owner_id', businesses: 'business_id' } as const;

export function releaseContacts(
  tx: TenantTx,
  departing: Departing,
  id: string,
  limit: number,
): Promise<{ _id: string }[]> {
  const column = NAMED_BY_CONTACTS[departing];
  return many(tx, {
    name: `departures.releaseContacts.${departing}`,
    text: `update contacts set ${column} = null, updated_at = now() where company_id = $1 and _id = any(array(
        select _id from contacts where company_id = $1 and ${column} = $2 limit $3 for no key update skip locked))
      returning _id`,
    values: [tx.companyId, id, limit],
  });
}

export function releaseBusinesses(tx: TenantTx, user: string, limit: number): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseBusinesses',
    text: `update businesses set owner_id = null, updated_at = now() where company_id = $1 and _id = any(array(
        select _id from businesses where company_id = $1 and owner_id = $2 limit $3 for no key update skip locked))`,
    values: [tx.companyId, user, limit],
  });
}

export function releaseRows(tx: TenantTx, business: string, limit: number): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseRows',
    text: `update table_rows set business_id = null, updated_at = now() where company_id = $1 and _id = any(array(
        select _id from table_rows where company_id = $1 and business_id = $2 limit $3 for no key update skip locked))`,
    values: [tx.companyId, business, limit],
  });
}

/** Waits for whoever is writing it into a record; nobody else begins to. Zero: the row is gone. */
export function seizeRemoved(tx: TenantTx, departing: Departing, id: string): Promise<number> {
  return exec(tx, {
    name: `departures.seizeRemoved.${departing}`,
    text: `select 1 from ${departing} where company_id = $1 and _id = $2 and removed_at is not null for update`,
    values: [tx.companyId, id],
  });
}

export async function isUserNamed(tx: TenantRead, user: string): Promise<boolean> {
  const { named } = await one<{ named: boolean }>(tx, {
    name: 'departures.isUserNamed',
    text: `select exists (select 1 from inboxes where company_id = $1 and default_owner = $2)
      or exists (select 1 from conversations where company_id = $1 and owner_id = $2)
      or exists (select 1 from conversations where company_id = $1 and attendant_id = $2)
      or exists (select 1 from contacts where company_id = $1 and owner_id = $2)
      or exists (select 1 from businesses where company_id = $1 and owner_id = $2) as named`,
    values: [tx.companyId, user],
  });
  return named;
}

export async function isBusinessNamed(tx: TenantRead, business: string): Promise<boolean> {
  const { named } = await one<{ named: boolean }>(tx, {
    name: 'departures.isBusinessNamed',
    text: `select exists (select 1 from contacts where company_id = $1 and business_id = $2)
      or exists (select 1 from table_rows where company_id = $1 and business_id = $2) as named`,
    values: [tx.companyId, business],
  });
  return named;
}

export function deleteRemoved(tx: TenantTx, departing: Departing, id: string): Promise<number> {
  return exec(tx, {
    name: `departures.deleteRemoved.${departing}`,
    text: `delete from ${departing} where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}
