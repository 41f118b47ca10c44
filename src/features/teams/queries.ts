import { exec, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import { findUnknown } from '../../platform/store/unknown-references.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Team } from './schemas.ts';

const COLUMNS = `_id, company_id as company, name, description, distribution, capacity, array(select u._id from team_members m
      join users u on u.company_id = m.company_id and u._id = m.user_id and u.status <> 'INACTIVE'
    where m.company_id = teams.company_id and m.team_id = teams._id order by u._id) as members,
  created_at as "createdAt", updated_at as "updatedAt"`;

const LIVE = 'company_id = $1 and _id = $2 and removed_at is null';

/** What the row of a team has; its members have rows of their own. */
export type TeamFields = Pick<Team, 'name' | 'description' | 'distribution' | 'capacity'>;

export function findTeam(tx: TenantRead, id: string): Promise<Team | null> {
  return maybeOne(tx, {
    name: 'teams.find',
    text: `select ${COLUMNS} from teams where ${LIVE}`,
    values: [tx.companyId, id],
  });
}

export function lockTeam(tx: TenantTx, id: string): Promise<Team | null> {
  return maybeOne(tx, {
    name: 'teams.lock',
    text: `select ${COLUMNS} from teams where ${LIVE} for no key update`,
    values: [tx.companyId, id],
  });
}

export function findByName(tx: TenantRead, name: string): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'teams.findByName',
    text: 'select _id from teams where company_id = $1 and lower(name) = lower($2) and removed_at is null',
    values: [tx.companyId, name],
  });
}

export function countTeams(tx: TenantTx): Promise<number> {
  return oneValue(tx, {
    name: 'teams.countAll',
    text: 'select count(*)::int as count from teams where company_id = $1 and removed_at is null',
    values: [tx.companyId],
  });
}

export function insertTeam(
  tx: TenantTx,
  id: string,
  { name, description, distribution, capacity }: TeamFields,
): Promise<number> {
  return exec(tx, {
    name: 'teams.insert',
    text: `insert into teams (company_id, _id, name, description, distribution, capacity) values ($1, $2, $3, $4, $5, $6)`,
    values: [tx.companyId, id, name, description, distribution, capacity],
  });
}

export function updateTeam(
  tx: TenantTx,
  id: string,
  { name, description, distribution, capacity }: TeamFields,
): Promise<number> {
  return exec(tx, {
    name: 'teams.update',
    text: `update teams set name = $3, description = $4, distribution = $5, capacity = $6, updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, name, description, distribution, capacity],
  });
}

/** Makes these users the members, and returns the team. */
export async function replaceMembers(tx: TenantTx, id: string, members: string[]): Promise<Team> {
  await exec(tx, {
    name: 'teams.removeMembers',
    text: 'delete from team_members where company_id = $1 and team_id = $2 and user_id <> all($3::text[])',
    values: [tx.companyId, id, members],
  });
  await exec(tx, {
    name: 'teams.addMembers',
    text: `insert into team_members (company_id, team_id, user_id) select $1, $2, each from unnest($3::text[]) each order by each
      on conflict do nothing`,
    values: [tx.companyId, id, members],
  });
  return one(tx, {
    name: 'teams.readBack',
    text: `select ${COLUMNS} from teams where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** Hides the team at once; its row stays while records name it. */
export function markRemoved(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'teams.markRemoved',
    text: 'update teams set removed_at = now() where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

export function findUnknownFilters(tx: TenantRead, member: string | null): Promise<string[]> {
  const tables = { member: '(select company_id, _id from users where removed_at is null) u' };
  return findUnknown(tx, { name: 'teams.findUnknownFilters', tables, asked: { member } });
}

export function listTeams(
  tx: TenantRead,
  { member, search }: { member: string | null; search: string | null },
  window: Window,
): Promise<Page<Team>> {
  return listPage(tx, window, {
    name: 'teams',
    columns: COLUMNS,
    from: 'teams',
    filter: `company_id = $1 and removed_at is null and ($2::text is null or strpos(fold(name), fold($2)) > 0)
      and ($3::text is null or exists (select from team_members m where m.company_id = $1 and m.team_id = teams._id and m.user_id = $3))`,
    values: [tx.companyId, search, member],
  });
}
