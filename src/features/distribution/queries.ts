import { exec, many, maybeOne, oneValue } from '../../platform/store/db.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import { pickInTurn, pickValues } from '../../platform/work/claims/fair-pick.ts';
import type { ClaimCapacity } from '../../platform/work/claims/queue.ts';
import type { Team } from '../teams/schemas.ts';

export const HAS_TURNS = 'exists (select from team_turns where due_at <= now())';

/** A team that may have conversations to give to its members. */
export interface TeamTurn {
  company: string;
  team: string;
}

const TURNS = { table: 'team_turns', waiting: 'due_at <= now()', order: 'due_at', columns: '_id, team_id' };

/** Finds teams to serve, a few of each company in turn. Those that another process is serving are left out. */
export function findTurns(tx: SystemTx, capacity: ClaimCapacity): Promise<TeamTurn[]> {
  return many(tx, {
    name: 'distribution.findTurns',
    text: `with recursive ${pickInTurn(TURNS)} select company_id as company, team_id as team from picked`,
    values: pickValues(capacity),
  });
}

/** Puts off the turns of a team that the caller does not take now. Returns zero when another transaction is taking all of them. */
export function putOff(tx: SystemTx, { company, team }: TeamTurn, seconds: number): Promise<number> {
  return exec(tx, {
    name: 'distribution.putOff',
    text: `update team_turns set due_at = now() + make_interval(secs => $3) where company_id = $1 and _id = any(array(
      select _id from team_turns where company_id = $1 and team_id = $2 for no key update skip locked))`,
    values: [company, team, seconds],
  });
}

/** Makes those who give out conversations of a company take turns, so that they count what the others have given. */
export function tryLockCompany(tx: TenantTx): Promise<boolean> {
  return oneValue(tx, {
    name: 'distribution.tryLockCompany',
    text: `select pg_try_advisory_xact_lock(hashtextextended('distribution:' || $1::text, 0)) as locked`,
    values: [tx.companyId],
  });
}

/** Takes all turns of a team. What makes a conversation wait after this adds another. */
export function takeTurns(tx: TenantTx, team: string): Promise<number> {
  return exec(tx, {
    name: 'distribution.takeTurns',
    text: 'delete from team_turns where company_id = $1 and team_id = $2',
    values: [tx.companyId, team],
  });
}

export function addTurn(tx: TenantTx, team: string, seconds: number): Promise<number> {
  return exec(tx, {
    name: 'distribution.addTurn',
    text: `insert into team_turns (company_id, _id, team_id, due_at) values ($1, new_id(), $2, now() + make_interval(secs => $3))`,
    values: [tx.companyId, team, seconds],
  });
}

export type Rule = Pick<Team, 'distribution' | 'capacity'>;

export function findRule(tx: TenantTx, team: string): Promise<Rule | null> {
  return maybeOne(tx, {
    name: 'distribution.findRule',
    text: `select distribution, capacity from teams
      where company_id = $1 and _id = $2 and removed_at is null and distribution <> 'MANUAL'`,
    values: [tx.companyId, team],
  });
}

const WAITING = `v.company_id = $1 and v.team_id = $2 and waits_for_member(v) and ($3::text[] is null or v.inbox_id = any($3))
  and not has_blocked_contact(v.company_id, v._id)`;

/** A conversation that waits for a member, and its inbox. */
export interface Waiting {
  _id: string;
  inbox: string;
}

/**
 * Locks the next conversations of these inboxes (null for all) that wait for a member, the contact who has waited longest first. Those that
 * others are changing are left.
 */
export function lockWaiting(tx: TenantTx, team: string, inboxes: string[] | null, most: number): Promise<Waiting[]> {
  return many(tx, {
    name: 'distribution.lockWaiting',
    text: `select _id, inbox_id as inbox from conversations v where ${WAITING}
      order by waiting_since, _id limit $4 for no key update skip locked`,
    values: [tx.companyId, team, inboxes, most],
  });
}

export function hasWaiting(tx: TenantTx, team: string, inboxes: string[] | null): Promise<boolean> {
  return oneValue(tx, {
    name: 'distribution.hasWaiting',
    text: `select exists (select from conversations v where ${WAITING}) as waits`,
    values: [tx.companyId, team, inboxes],
  });
}

/** Notifies the members, once per conversation, of conversations that wait because no member has capacity, except in the `served` inboxes. */
export async function notifyWaiting(tx: TenantTx, team: string, served: string[]): Promise<void> {
  await exec(tx, {
    name: 'distribution.notifyWaiting',
    text: 'select notify_waiting(company_id, _id, $3) from teams where company_id = $1 and _id = $2',
    values: [tx.companyId, team, served],
  });
}

export interface FreeMember {
  user: string;
  /** How many open conversations the user owns. */
  load: number;
  /** The inboxes that the user sees; null for all. */
  inboxes: string[] | null;
}

// A member with more conversations than this is as loaded as one with this number.
const MOST_COUNTED = 2_000;

/** Returns the members who can be given a conversation now; the one who was given none for the longest time comes first. */
export function findMembers(tx: TenantTx, team: string, roles: readonly string[]): Promise<FreeMember[]> {
  return many(tx, {
    name: 'distribution.findMembers',
    text: `select m.user_id as user, (select count(*)::int from (select from conversations
          where company_id = $1 and owner_id = m.user_id and status = 'OPEN' limit ${MOST_COUNTED}) counted) as load, visible_inboxes(u) as inboxes
      from team_members m join users u on u.company_id = m.company_id and u._id = m.user_id
      where m.company_id = $1 and m.team_id = $2 and u.status = 'ACTIVE' and u.availability = 'ONLINE' and u.role = any($3::text[])
      order by m.last_assigned_at nulls first, m.user_id`,
    values: [tx.companyId, team, roles],
  });
}

export interface Given {
  conversation: string;
  user: string;
}

/** Makes the users the owners, in this order. */
export async function give(tx: TenantTx, team: string, given: Given[]): Promise<void> {
  const users = given.map(({ user }) => user);
  await exec(tx, {
    name: 'distribution.giveConversations',
    text: `update conversations v set owner_id = n.owner, updated_at = now() from unnest($2::text[], $3::text[]) as n (_id, owner)
      where v.company_id = $1 and v._id = n._id`,
    values: [tx.companyId, given.map(({ conversation }) => conversation), users],
  });
  await exec(tx, {
    name: 'distribution.noteTimes',
    text: `update team_members m set last_assigned_at = n.at from (
        select owner, max(clock_timestamp() + make_interval(secs => place / 1e6)) as at
        from unnest($3::text[]) with ordinality as o (owner, place) group by owner) n
      where m.company_id = $1 and m.team_id = $2 and m.user_id = n.owner`,
    values: [tx.companyId, team, users],
  });
}
