import { exec, many, maybeOne, oneValue } from '../../platform/store/db.ts';
import { selectPortionSql, REWRITTEN_BYTES } from '../../platform/store/portions.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';

/**
 * Returns SQL for the ids of the next records that name `$2` in a column, as many as one statement
 * can change. Records that another transaction is changing are left for a later portion.
 */
const nextRecordsNamingSql = (table: string, column: string): string =>
  `array(${selectPortionSql({
    rows: `select _id, record_bytes as bytes from ${table} where company_id = $1 and ${column} = $2 limit $3 for no key update skip locked`,
    order: '_id',
    most: REWRITTEN_BYTES,
  })})`;

/**
 * The tables of records that are being removed: a removed record stays in its table until no other record names it. A deactivated user
 * stays for good.
 */
export type DepartingTable = 'users' | 'teams' | 'businesses';

/**
 * The SQL condition for a user, team or business that other records may still refer to although it is being removed; a removed user is INACTIVE
 * as well.
 */
const IS_DEPARTING = {
  users: `status = 'INACTIVE'`,
  teams: 'removed_at is not null',
  businesses: 'removed_at is not null',
} as const;

export function removeUserFromInboxes(tx: TenantTx, user: string): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseInboxes',
    text: 'update inboxes set default_owner = null, updated_at = now() where company_id = $1 and default_owner = $2',
    values: [tx.companyId, user],
  });
}

/** Removes the user or team from the members of all inboxes. */
export function removeFromMembers(tx: TenantTx, kind: 'users' | 'teams', id: string): Promise<number> {
  return exec(tx, {
    name: `departures.releaseMembersOfInboxes.${kind}`,
    text: `update inboxes set members = jsonb_set(members, '{${kind}}', (members -> '${kind}') - $2::text), updated_at = now()
      where company_id = $1 and members is not null and members -> '${kind}' ? $2`,
    values: [tx.companyId, id],
  });
}

export function removeUserFromCampaigns(tx: TenantTx, user: string): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseCampaigns',
    text: 'update campaigns set owner_id = null, updated_at = now() where company_id = $1 and owner_id = $2',
    values: [tx.companyId, user],
  });
}

/** Removes the user from the next conversations that the user owns, and from as many that the user attends. */
export function removeUserFromConversations(tx: TenantTx, user: string, limit: number): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'departures.releaseConversations',
    text: `update conversations set owner_id = nullif(owner_id, $2), attendant_id = nullif(attendant_id, $2), updated_at = now()
      where company_id = $1 and _id = any(
        ${nextRecordsNamingSql('conversations', 'owner_id')} || ${nextRecordsNamingSql('conversations', 'attendant_id')})
      returning _id`,
    values: [tx.companyId, user, limit],
  });
}

/** Removes the team from the next of its conversations. */
export function removeTeamFromConversations(tx: TenantTx, team: string, limit: number): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'departures.releaseTeamsConversations',
    text: `update conversations set team_id = null, updated_at = now()
      where company_id = $1 and _id = any(${nextRecordsNamingSql('conversations', 'team_id')}) returning _id`,
    values: [tx.companyId, team, limit],
  });
}

export function removeTeamFromInboxes(tx: TenantTx, team: string): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseTeamsInboxes',
    text: 'update inboxes set default_team = null, updated_at = now() where company_id = $1 and default_team = $2',
    values: [tx.companyId, team],
  });
}

/** A policy of no other team applies to nothing then. */
export function removeTeamFromPolicies(tx: TenantTx, team: string): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseTeamsPolicies',
    text: `update sla_policies set teams = array_remove(teams, $2), updated_at = now() where company_id = $1 and $2 = any(teams)`,
    values: [tx.companyId, team],
  });
}

/** Removes the user from all teams. */
export function removeUserFromTeams(tx: TenantTx, user: string): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseMembers',
    text: 'delete from team_members where company_id = $1 and user_id = $2',
    values: [tx.companyId, user],
  });
}

/** The column in which a contact names the removed record. */
const NAMED_BY_CONTACTS = { users: 'owner_id', businesses: 'business_id' } as const;

export function removeFromContacts(
  tx: TenantTx,
  departing: keyof typeof NAMED_BY_CONTACTS,
  id: string,
  limit: number,
): Promise<{ _id: string }[]> {
  const column = NAMED_BY_CONTACTS[departing];
  return many(tx, {
    name: `departures.releaseContacts.${departing}`,
    text: `update contacts set ${column} = null, updated_at = now() where company_id = $1 and _id = any(${nextRecordsNamingSql('contacts', column)})
      returning _id`,
    values: [tx.companyId, id, limit],
  });
}

export function removeUserFromBusinesses(tx: TenantTx, user: string, limit: number): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseBusinesses',
    text: `update businesses set owner_id = null, updated_at = now() where company_id = $1 and _id = any(${nextRecordsNamingSql('businesses', 'owner_id')})`,
    values: [tx.companyId, user, limit],
  });
}

export function removeBusinessFromRows(tx: TenantTx, business: string, limit: number): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseRows',
    text: `update table_rows set business_id = null, updated_at = now() where company_id = $1 and _id = any(${nextRecordsNamingSql('table_rows', 'business_id')})`,
    values: [tx.companyId, business, limit],
  });
}

export function removeUserFromParticipants(tx: TenantTx, user: string, limit: number): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseParticipants',
    text: `delete from conversation_participants where company_id = $1 and user_id = $2 and conversation_id = any(array(
      select conversation_id from conversation_participants where company_id = $1 and user_id = $2 limit $3))`,
    values: [tx.companyId, user, limit],
  });
}

export function removeNotifications(tx: TenantTx, user: string, limit: number): Promise<number> {
  return exec(tx, {
    name: 'departures.removeNotifications',
    text: `delete from notifications where company_id = $1 and _id = any(array(
      select _id from notifications where company_id = $1 and user_id = $2 limit $3))`,
    values: [tx.companyId, user, limit],
  });
}

/** Removes the private views of the user. Shared ones stay without an owner. */
export function releaseViews(tx: TenantTx, user: string): Promise<number> {
  return exec(tx, {
    name: 'departures.releaseViews',
    text: `with gone as (delete from views where company_id = $1 and owner_id = $2 and not is_shared)
      update views set owner_id = null, updated_at = now() where company_id = $1 and owner_id = $2 and is_shared`,
    values: [tx.companyId, user],
  });
}

/**
 * Locks a user, team or business that is being removed, and returns zero when it is no longer being removed. Until the transaction ends, the user
 * cannot be made ACTIVE again.
 */
export function shareLockDeparting(tx: TenantTx, departing: DepartingTable, id: string): Promise<number> {
  return exec(tx, {
    name: `departures.holdDeparting.${departing}`,
    text: `select 1 from ${departing} where company_id = $1 and _id = $2 and ${IS_DEPARTING[departing]} for share`,
    values: [tx.companyId, id],
  });
}

/**
 * Waits for transactions that are writing a reference to the record, and prevents new references. Returns null when the record is no longer
 * being removed.
 */
export function lockDeparting(
  tx: TenantTx,
  departing: DepartingTable,
  id: string,
): Promise<{ removed: boolean } | null> {
  return maybeOne(tx, {
    name: `departures.seizeDeparting.${departing}`,
    text: `select removed_at is not null as removed from ${departing}
      where company_id = $1 and _id = $2 and ${IS_DEPARTING[departing]} for update`,
    values: [tx.companyId, id],
  });
}

export function isUserNamed(tx: TenantRead, user: string): Promise<boolean> {
  return oneValue(tx, {
    name: 'departures.isUserNamed',
    text: `select exists (select 1 from inboxes where company_id = $1 and default_owner = $2)
      or exists (select 1 from inboxes where company_id = $1 and members is not null and members -> 'users' ? $2)
      or exists (select 1 from campaigns where company_id = $1 and owner_id = $2)
      or exists (select 1 from conversations where company_id = $1 and owner_id = $2)
      or exists (select 1 from conversations where company_id = $1 and attendant_id = $2)
      or exists (select 1 from contacts where company_id = $1 and owner_id = $2)
      or exists (select 1 from businesses where company_id = $1 and owner_id = $2) as named`,
    values: [tx.companyId, user],
  });
}

export function isTeamNamed(tx: TenantRead, team: string): Promise<boolean> {
  return oneValue(tx, {
    name: 'departures.isTeamNamed',
    text: `select exists (select 1 from inboxes where company_id = $1 and default_team = $2)
      or exists (select 1 from inboxes where company_id = $1 and members is not null and members -> 'teams' ? $2)
      or exists (select 1 from sla_policies where company_id = $1 and $2 = any(teams))
      or exists (select 1 from conversations where company_id = $1 and team_id = $2) as named`,
    values: [tx.companyId, team],
  });
}

export function isBusinessNamed(tx: TenantRead, business: string): Promise<boolean> {
  return oneValue(tx, {
    name: 'departures.isBusinessNamed',
    text: `select exists (select 1 from contacts where company_id = $1 and business_id = $2)
      or exists (select 1 from table_rows where company_id = $1 and business_id = $2) as named`,
    values: [tx.companyId, business],
  });
}

export function deleteRemovedRecord(tx: TenantTx, departing: DepartingTable, id: string): Promise<number> {
  return exec(tx, {
    name: `departures.deleteRemoved.${departing}`,
    text: `delete from ${departing} where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}
