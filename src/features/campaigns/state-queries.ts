/** Statements that change the state of a campaign. */
import { exec, many } from '../../platform/store/db.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import type { Turn } from './portion-queries.ts';

/** Lets the campaign run: at its time, or at once. The error threshold counts from here. */
export function setRunning(
  tx: TenantTx,
  id: string,
  { isScheduled, called, failed }: { isScheduled: boolean; called: number; failed: number },
): Promise<number> {
  return exec(tx, {
    name: 'campaigns.setRunning',
    text: `update campaigns set status = case when $3 then 'SCHEDULED' else 'RUNNING' end, is_waiting = not $3, turn_at = now(), claimed_at = null,
        held_until = case when $3 then scheduled_at end, started_at = case when $3 then started_at else coalesce(started_at, now()) end,
        paused_at = null, pause_reason = null, completed_at = null, called_before = $4, failed_before = $5, updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, isScheduled, called, failed],
  });
}

export interface Pause {
  reason: 'USER' | 'ERROR_RATE' | 'NETWORK_LIMIT' | 'TEMPLATE';
  /** After how many seconds it goes on by itself; null when someone has to resume it. */
  resumeSeconds: number | null;
}

/** Pauses the campaign. With `claimed_at` only while the worker has it that took it then. */
export function setPaused(
  tx: TenantTx,
  id: string,
  { reason, resumeSeconds }: Pause,
  claimed_at: string | null,
): Promise<number> {
  return exec(tx, {
    name: 'campaigns.setPaused',
    text: `update campaigns set status = 'PAUSED', pause_reason = $3, paused_at = now(), is_waiting = false, claimed_at = null,
        held_until = now() + make_interval(secs => $4::float8), updated_at = now()
      where company_id = $1 and _id = $2 and ($5::timestamptz is null or (claimed_at = $5 and status = 'RUNNING'))`,
    values: [tx.companyId, id, reason, resumeSeconds, claimed_at],
  });
}

/** Ends the campaign before its time. A worker then cancels the enrollments that still wait. */
export function setEnded(tx: TenantTx, id: string, status: 'CANCELLED' | 'FAILED'): Promise<number> {
  return exec(tx, {
    name: 'campaigns.setEnded',
    text: `update campaigns set status = $3, pause_reason = null, paused_at = null, is_waiting = true, turn_at = now(), claimed_at = null,
        held_until = null, completed_at = now(), updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, status],
  });
}

/** Ends the campaign, unless something is left to be sent. */
export function completeCampaign(tx: TenantTx, { campaign, claimed_at }: Turn): Promise<number> {
  return exec(tx, {
    name: 'campaigns.complete',
    text: `update campaigns c set status = 'COMPLETED', completed_at = now(), is_waiting = false, claimed_at = null, held_until = null, updated_at = now()
      where company_id = $1 and _id = $2 and claimed_at = $3 and status = 'RUNNING' and is_enrolled and not is_nudged
        and not exists (select from campaign_enrollments e where e.company_id = $1 and e.campaign_id = $2 and e.completed_at is null)`,
    values: [tx.companyId, campaign, claimed_at],
  });
}

/** Returns waiting messages of the next enrollments that are to be cancelled: those that the network has refused for the moment. */
export async function listWaitingMessages(tx: TenantTx, campaign: string, most: number): Promise<string[]> {
  const rows = await many<{ message: string }>(tx, {
    name: 'campaigns.listWaitingMessages',
    text: `select s.message_id as message from (
        select _id, current_step from campaign_enrollments where company_id = $1 and campaign_id = $2 and next_run_at is not null
        order by next_run_at, _id limit $3
      ) e join campaign_sends s on s.company_id = $1 and s.enrollment_id = e._id and s.step = e.current_step`,
    values: [tx.companyId, campaign, most],
  });
  return rows.map(({ message }) => message);
}

/**
 * Cancels enrollments that wait, and those of a campaign that has never begun. Returns how many. One that has got a message keeps its status and
 * gets no further step.
 */
export function cancelWaiting(
  tx: TenantTx,
  campaign: string,
  { hasBegun, most }: { hasBegun: boolean; most: number },
): Promise<number> {
  return exec(tx, {
    name: 'campaigns.cancelWaiting',
    text: `update campaign_enrollments set status = case when status = 'PENDING' then 'CANCELLED' else status end, next_run_at = null,
        completed_at = now(), updated_at = now()
      where company_id = $1 and _id = any(array(select _id from campaign_enrollments
        where company_id = $1 and campaign_id = $2 and next_run_at is not null order by next_run_at, _id limit $3 for no key update
      ) || array(select _id from campaign_enrollments
        where company_id = $1 and campaign_id = $2 and not $4 and completed_at is null and called_at is null and next_run_at is null
        order by _id limit $3 for no key update))`,
    values: [tx.companyId, campaign, most, hasBegun],
  });
}

/** Ends the work on a campaign of which nothing is left to be done. */
export function settleTurn(tx: TenantTx, { campaign, claimed_at }: Turn): Promise<number> {
  return exec(tx, {
    name: 'campaigns.settleTurn',
    text: `update campaigns set claimed_at = null, held_until = null, is_waiting = false
      where company_id = $1 and _id = $2 and claimed_at = $3`,
    values: [tx.companyId, campaign, claimed_at],
  });
}
