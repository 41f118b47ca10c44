/** Statements over all companies that decide which campaign is worked on next, and that store how a turn has ended. */
import { pickValues } from '../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../../platform/work/claims/leases.ts';
import type { ClaimCapacity, RowOutcome } from '../../platform/work/claims/queue.ts';
import { exec, many } from '../../platform/store/db.ts';
import { isPicked } from '../../platform/store/picked-rows.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { HOLD_SECONDS } from './portion-queries.ts';
import type { Campaign } from './schemas.ts';

export const CAMPAIGN_QUEUE: LeasedTable = { table: 'campaigns', order: 'turn_at', leaseSeconds: HOLD_SECONDS };

export interface ClaimedCampaign extends LeasedRow {
  name: string;
  status: Campaign['status'];
}

/** Claims campaigns, a few of each company in turn. A campaign that waited for its time or for its daily limit runs from now on. */
export async function claimCampaigns(
  tx: SystemTx,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedCampaign[]; dismissed: number }> {
  const claimed = await many<ClaimedCampaign>(tx, {
    name: 'campaigns.claim',
    text: `${pickLeased(CAMPAIGN_QUEUE)}
      update campaigns c set ${leaseColumns(CAMPAIGN_QUEUE)}, is_nudged = false,
        status = case when status in ('SCHEDULED', 'PAUSED') then 'RUNNING' else status end, paused_at = null, pause_reason = null,
        started_at = case when status in ('CANCELLED', 'FAILED') then started_at else coalesce(started_at, now()) end,
        updated_at = case when status in ('SCHEDULED', 'PAUSED') then now() else updated_at end
      from picked where ${isPicked('c')}
      returning c.company_id as company, c._id, name, status, claimed_at`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** How a turn of a campaign has ended. */
export interface TurnOutcome extends RowOutcome {
  company: string;
  claimed_at: string;
  /** The seconds for which no one works on the campaign; null when its next turn can begin at once. */
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
    text: `with picked as (
        select company_id, _id from campaign_changes order by company_id, _id limit $1 for update skip locked
      ), taken as (
        delete from campaign_changes c using picked where ${isPicked('c')}
        returning c.company_id, campaign_id, scope, name, amount
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
