/** Statements over all companies that decide which campaign is worked on next, and that store how a turn has ended. */
import { pickInTurn, pickValues } from '../../platform/claims/fair-pick.ts';
import type { ClaimCapacity, ClaimedRow, RowOutcome } from '../../platform/claims/queue.ts';
import { exec, many } from '../../platform/db.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import type { Campaign } from './schemas.ts';

const QUEUE = { table: 'campaigns', waiting: 'is_waiting', order: 'turn_at' };

/** An SQL condition for campaigns that are due, and for those whose worker has held them for so long that it must have died. */
const IS_DUE = 'not is_waiting and held_until <= now()';

/** An SQL condition that holds while a campaign waits for a worker or is due. */
export const IS_WAITING = `exists (select from campaigns where ${QUEUE.waiting}) or exists (select from campaigns where ${IS_DUE})`;

export interface ClaimedCampaign extends ClaimedRow {
  _id: string;
  name: string;
  status: Campaign['status'];
  claimed_at: string;
}

/** Claims campaigns, a few of each company in turn. A campaign that waited for its time or for its daily limit runs from now on. */
export async function claimCampaigns(
  tx: SystemTx,
  capacity: ClaimCapacity,
  holdSeconds: number,
): Promise<{ claimed: ClaimedCampaign[]; dismissed: number }> {
  const claimed = await many<ClaimedCampaign>(tx, {
    name: 'campaigns.claim',
    text: `with recursive ${pickInTurn(QUEUE)}
      update campaigns set is_waiting = false, is_nudged = false, claimed_at = clock_timestamp(), held_until = now() + make_interval(secs => $6),
        status = case when status in ('SCHEDULED', 'PAUSED') then 'RUNNING' else status end, paused_at = null, pause_reason = null,
        started_at = case when status in ('CANCELLED', 'FAILED') then started_at else coalesce(started_at, now()) end,
        updated_at = case when status in ('SCHEDULED', 'PAUSED') then now() else updated_at end
      where ctid = any(array(select ctid from picked))
      returning company_id as company, _id, _id as seq, null as claimed_by, name, status, claimed_at`,
    values: [...pickValues(capacity), holdSeconds],
  });
  return { claimed, dismissed: 0 };
}

/** Puts campaigns into the queue that are due. */
export function queueDueCampaigns(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'campaigns.queueDue',
    text: `update campaigns set is_waiting = true, held_until = null, turn_at = now() where ${IS_DUE}`,
    values: [],
  });
}

/** Keeps campaigns from being taken by other workers for a while longer. */
export function renewHolds(tx: SystemTx, held: ClaimedCampaign[], holdSeconds: number): Promise<number> {
  return exec(tx, {
    name: 'campaigns.renewHolds',
    text: `update campaigns c set held_until = now() + make_interval(secs => $4)
      from (
        select k.ctid from unnest($1::text[], $2::text[], $3::timestamptz[]) as h (company_id, _id, claimed_at)
          join campaigns k on k.company_id = h.company_id and k._id = h._id and k.claimed_at = h.claimed_at
        for no key update of k skip locked
      ) n where c.ctid = n.ctid`,
    values: [
      held.map(({ company }) => company),
      held.map(({ _id }) => _id),
      held.map(({ claimed_at }) => claimed_at),
      holdSeconds,
    ],
  });
}

/** How a turn of a campaign has ended. */
export interface TurnOutcome extends RowOutcome {
  company: string;
  claimed_at: string;
  /** The seconds for which nobody works on the campaign; null when its next turn can begin at once. */
  pause_seconds: number | null;
}

/** Puts campaigns that go on at the end of their company's queue. One that has ended or was paused meanwhile stays as it is. */
export function recordTurns(tx: SystemTx, outcomes: TurnOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'campaigns.recordTurns',
    text: `update campaigns c set claimed_at = null, is_nudged = false, turn_at = now(), is_waiting = c.is_nudged or o.pause_seconds is null,
        held_until = case when not c.is_nudged then now() + make_interval(secs => o.pause_seconds) end
      from unnest($1::text[], $2::text[], $3::timestamptz[], $4::float8[]) as o (company_id, _id, claimed_at, pause_seconds)
      where c.company_id = o.company_id and c._id = o._id and c.claimed_at = o.claimed_at and c.status in ('RUNNING', 'CANCELLED', 'FAILED')`,
    values: [
      outcomes.map(({ company }) => company),
      outcomes.map(({ _id }) => _id),
      outcomes.map(({ claimed_at }) => claimed_at),
      outcomes.map(({ pause_seconds }) => pause_seconds),
    ],
  });
}

/** An SQL condition that holds while changes of counters wait to be added up. */
export const HAS_CHANGES = 'exists (select from campaign_changes)';

/** Adds up to `most` changes to the counters of their campaigns, and returns how many. */
export async function addUpChanges(tx: SystemTx, most: number): Promise<number> {
  const rows = await many<{ taken: number }>(tx, {
    name: 'campaigns.addUpChanges',
    text: `with taken as (
        delete from campaign_changes where ctid = any(array(
          select ctid from campaign_changes order by company_id, _id limit $1 for update skip locked))
        returning company_id, campaign_id, scope, name, amount
      ), summed as (
        insert into campaign_counters as c (company_id, campaign_id, scope, name, amount)
          select company_id, campaign_id, scope, name, sum(amount) from taken group by 1, 2, 3, 4 order by 1, 2, 3, 4
          on conflict (company_id, campaign_id, scope, name) do update set amount = c.amount + excluded.amount
      )
      select count(*)::int as taken from taken`,
    values: [most],
  });
  return rows[0]?.taken ?? 0;
}
