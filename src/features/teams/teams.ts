/** Teams: groups of users to whom conversations are assigned. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { pageWindow, readSearch, type Page } from '../../platform/store/paging.ts';
import { refuseUnknown } from '../../platform/store/unknown-references.ts';
import { whenTaken } from '../../platform/store/taken.ts';
import type { Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { alreadyTaken, expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { expectUsers } from '../users/assignments.ts';
import { ReleaseTeam } from './jobs.ts';
import {
  countTeams,
  findByName,
  findTeam,
  findUnknownFilters,
  insertTeam,
  listTeams,
  lockTeam,
  markRemoved,
  replaceMembers,
  updateTeam,
} from './queries.ts';
import { MAX_TEAMS, type Team, type TeamCreate, type TeamQuery, type TeamUpdate } from './schemas.ts';

/** Throws TEAM_EXISTS when another team has the name. */
export async function createTeam(tenant: Tenant, input: TeamCreate): Promise<Team> {
  const { name, description = null, distribution = 'MANUAL', capacity = null, members = [] } = input;
  const stored = tenant.tx(async (tx) => {
    await lockLimit(tx, 'teams');
    if ((await countTeams(tx)) >= MAX_TEAMS)
      throw invalid('name', `is one too many: there are ${MAX_TEAMS} teams already`, 'LIMIT_REACHED');
    await expectMembers(tx, members);
    const _id = newId();
    tx.created(_id);
    await insertTeam(tx, _id, { name, description, distribution, capacity });
    return replaceMembers(tx, _id, members);
  });
  return stored.catch(refuseTakenName(tenant, name));
}

export async function readTeam(tenant: Tenant, id: string): Promise<Team> {
  return expectFound(await findTeam(tenant.read, id));
}

export async function pageTeams(tenant: Tenant, query: TeamQuery): Promise<Page<Team>> {
  const filter = { member: query.member ?? null, search: readSearch(query) };
  refuseUnknown(await findUnknownFilters(tenant.read, filter.member));
  return listTeams(tenant.read, filter, pageWindow('teams', query));
}

/** Throws TEAM_EXISTS when another team has the name. */
export async function updateTeamById(tenant: Tenant, id: string, input: TeamUpdate): Promise<Team> {
  const stored = tenant.tx(async (tx) => {
    const before = expectFound(await lockTeam(tx, id));
    const { name, description, distribution, capacity, members } = before;
    const own = { name, description, distribution, capacity, members };
    const next = { ...own, ...input, members: (input.members ?? members).toSorted() };
    if (isDeepStrictEqual(next, own)) return before;
    if (input.members) await expectMembers(tx, input.members);
    await updateTeam(tx, id, next);
    return replaceMembers(tx, id, next.members);
  });
  return stored.catch(refuseTakenName(tenant, input.name ?? ''));
}

/** Hides the team from all requests at once; a job then removes it from the records that name it. */
export function removeTeam(kit: Kit, tenant: Tenant, id: string): Promise<Team> {
  return tenant.tx(async (tx) => {
    const team = expectFound(await lockTeam(tx, id));
    await markRemoved(tx, id);
    await kit.enqueue(tx, ReleaseTeam, { company: tenant.companyId, team: id }, { key: id });
    return team;
  });
}

/**
 * Throws UNKNOWN_REFERENCE naming `path` for a team that does not exist or is being removed. A team that is removed after this check is taken
 * out of the record by the removal job.
 */
export async function expectTeam(tx: TenantRead, path: string, id: string | null | undefined): Promise<void> {
  if (typeof id === 'string' && !(await findTeam(tx, id))) throw unknownReference(path);
}

const expectMembers = (tx: TenantTx, members: string[]): Promise<void> =>
  expectUsers(tx, Object.fromEntries(members.map((id, index) => [`members[${index}]`, id])));

const refuseTakenName = (tenant: Tenant, name: string) =>
  whenTaken('teams_name_key', async () => {
    throw alreadyTaken('TEAM_EXISTS', 'name', (await findByName(tenant.read, name))?._id);
  });
