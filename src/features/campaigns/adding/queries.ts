/** Statements that enrol contacts whom a caller names. */
import { exec, many } from '../../../platform/store/db.ts';
import type { TenantTx } from '../../../platform/store/tenant.ts';
import { RECIPIENT } from '../audience-queries.ts';

/** Returns the contacts that have these phone numbers, by the form in which numbers are compared. */
export function findContactsByNumbers(
  tx: TenantTx,
  kind: string,
  values: string[],
): Promise<{ value: string; contact: string }[]> {
  return many(tx, {
    name: 'campaigns.adding.findByNumbers',
    text: `select i.value, i.contact_id as contact from contact_identities i
      where i.company_id = $1 and i.kind = $2 and i.value = any($3::text[])`,
    values: [tx.companyId, kind, values],
  });
}

export interface Addition {
  contact: string;
  /** The values that the caller gives, by their names. */
  columns: Record<string, string> | null;
}

interface Adding {
  campaign: string;
  /** The id of the request that adds them. */
  addedBy: string;
  /** How long after the enrolment the first step is sent; null before the campaign begins, when nothing is planned yet. */
  delayMinutes: number | null;
  /** Whether the values of the contacts are kept, because the templates name some. */
  keepsValues: boolean;
}

/** Enrols those contacts that still exist and do not take part yet. Before the campaign begins only the caller's values are kept. */
export function insertAdditions(
  tx: TenantTx,
  { campaign, addedBy, delayMinutes, keepsValues }: Adding,
  additions: Addition[],
): Promise<number> {
  return exec(tx, {
    name: 'campaigns.adding.insert',
    text: `with locked as (
        select * from contacts where company_id = $1 and _id = any($3::text[]) order by _id for key share
      ), valued as (
        select _id as contact, ${RECIPIENT} as held from locked
      )
      insert into campaign_enrollments (company_id, _id, campaign_id, contact_id, recipient, next_run_at, added_by)
        select $1, new_id(), $2, v.contact, case when $5::int is null then n.given when $6 then v.held || coalesce(n.given, '{}') end,
          now() + make_interval(mins => $5::int), $7
        from valued v join unnest($3::text[], $4::jsonb[]) as n (contact, given) on n.contact = v.contact order by v.contact
        on conflict (company_id, campaign_id, contact_id) do nothing`,
    values: [
      tx.companyId,
      campaign,
      additions.map(({ contact }) => contact),
      additions.map(({ columns }) => columns && JSON.stringify({ columns })),
      delayMinutes,
      keepsValues,
      addedBy,
    ],
  });
}

/** Returns the enrollments of these contacts, and which of them this request has added. */
export function findAdded(
  tx: TenantTx,
  campaign: string,
  { contacts, addedBy }: { contacts: string[]; addedBy: string },
): Promise<{ contact: string; enrollment: string; is_new: boolean }[]> {
  return many(tx, {
    name: 'campaigns.adding.find',
    text: `select contact_id as contact, _id as enrollment, added_by is not distinct from $4 as is_new from campaign_enrollments
      where company_id = $1 and campaign_id = $2 and contact_id = any($3::text[])`,
    values: [tx.companyId, campaign, contacts, addedBy],
  });
}

/** Lets a worker look at the campaign soon. One that had completed runs again. */
export function nudgeCampaign(tx: TenantTx, campaign: string): Promise<number> {
  return exec(tx, {
    name: 'campaigns.adding.nudge',
    text: `update campaigns set is_nudged = claimed_at is not null, is_waiting = claimed_at is null, turn_at = now(),
        held_until = case when claimed_at is not null then held_until end, completed_at = null,
        updated_at = case when status = 'RUNNING' then updated_at else now() end, status = 'RUNNING'
      where company_id = $1 and _id = $2 and status in ('RUNNING', 'COMPLETED')`,
    values: [tx.companyId, campaign],
  });
}

/**
 * Plans the first step of contacts who were added before the campaign began, with the values that they have now. Returns how many of them it
 * has planned.
 */
export function planAdditions(
  tx: TenantTx,
  {
    campaign,
    delayMinutes,
    keepsValues,
    most,
  }: { campaign: string; delayMinutes: number; keepsValues: boolean; most: number },
): Promise<number> {
  return exec(tx, {
    name: 'campaigns.adding.plan',
    text: `with chosen as (
        select _id, contact_id, recipient from campaign_enrollments
        where company_id = $1 and campaign_id = $2 and completed_at is null and called_at is null and next_run_at is null
          and contact_id is not null limit $5 for no key update
      ), valued as (
        select _id as contact, ${RECIPIENT} as held from contacts where company_id = $1 and _id = any(array(select contact_id from chosen))
      )
      update campaign_enrollments e set next_run_at = now() + make_interval(mins => $3::int), updated_at = now(),
          recipient = case when $4 then v.held || coalesce(n.recipient, '{}') end
        from chosen n join valued v on v.contact = n.contact_id where e.company_id = $1 and e._id = n._id`,
    values: [tx.companyId, campaign, delayMinutes, keepsValues, most],
  });
}
