import { exec, many, one } from '../../platform/db.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';

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

export function releaseContacts(tx: TenantTx, user: string, limit: number): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'departures.releaseContacts',
    text: `update contacts set owner_id = null, updated_at = now() where company_id = $1 and _id = any(array(
        select _id from contacts where company_id = $1 and owner_id = $2 limit $3 for no key update skip locked))
      returning _id`,
    values: [tx.companyId, user, limit],
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

/** Waits for whoever is writing the user into a record; nobody else begins to. Zero: the row is gone. */
export function seizeRemoved(tx: TenantTx, user: string): Promise<number> {
  return exec(tx, {
    name: 'departures.seizeRemoved',
    text: 'select 1 from users where company_id = $1 and _id = $2 and removed_at is not null for update',
    values: [tx.companyId, user],
  });
}

export async function isNamed(tx: TenantRead, user: string): Promise<boolean> {
  const { named } = await one<{ named: boolean }>(tx, {
    name: 'departures.isNamed',
    text: `select exists (select 1 from inboxes where company_id = $1 and default_owner = $2)
      or exists (select 1 from conversations where company_id = $1 and owner_id = $2)
      or exists (select 1 from conversations where company_id = $1 and attendant_id = $2)
      or exists (select 1 from contacts where company_id = $1 and owner_id = $2)
      or exists (select 1 from businesses where company_id = $1 and owner_id = $2) as named`,
    values: [tx.companyId, user],
  });
  return named;
}

export function deleteUser(tx: TenantTx, user: string): Promise<number> {
  return exec(tx, {
    name: 'departures.deleteUser',
    text: 'delete from users where company_id = $1 and _id = $2',
    values: [tx.companyId, user],
  });
}
