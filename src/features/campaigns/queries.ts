import { exec, many, maybeOne, one } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { GivenTemplate } from '../templates/schemas.ts';
import type { Audience, Campaign, CampaignOptions } from './schemas.ts';

/** A step as it is stored; its position is its place in the list. */
export interface StoredStep {
  delay_minutes: number;
  template: GivenTemplate;
  funnel_step: string | null;
}

/** The fields of a campaign that a caller can change. */
export interface CampaignFields {
  name: string;
  description: string | null;
  inbox: string;
  steps: StoredStep[];
  audience: Audience;
  agent: string | null;
  owner: string | null;
  options: CampaignOptions;
  scheduled_at: string | null;
}

/** A campaign as its table has it. */
export interface CampaignRow
  extends
    CampaignFields,
    Pick<
      Campaign,
      | '_id'
      | 'company'
      | 'status'
      | 'started_at'
      | 'paused_at'
      | 'pause_reason'
      | 'completed_at'
      | 'totals'
      | 'createdAt'
      | 'updatedAt'
    > {}

const COLUMNS = `_id, company_id as company, name, description, inbox_id as inbox, status, steps, audience, agent_id as agent,
  owner_id as owner, options, scheduled_at, started_at, paused_at, pause_reason, completed_at, campaign_totals(company_id, _id) as totals,
  created_at as "createdAt", updated_at as "updatedAt"`;

const toValues = (fields: CampaignFields): unknown[] => [
  fields.name,
  fields.description,
  fields.inbox,
  JSON.stringify(fields.steps),
  JSON.stringify(fields.audience),
  fields.agent,
  fields.owner,
  JSON.stringify(fields.options),
  fields.scheduled_at,
];

export function insertCampaign(tx: TenantTx, id: string, fields: CampaignFields): Promise<CampaignRow> {
  return one(tx, {
    name: 'campaigns.insert',
    text: `insert into campaigns (company_id, _id, name, description, inbox_id, steps, audience, agent_id, owner_id, options, scheduled_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${COLUMNS}`,
    values: [tx.companyId, id, ...toValues(fields)],
  });
}

export function updateCampaign(tx: TenantTx, id: string, fields: CampaignFields): Promise<CampaignRow> {
  return one(tx, {
    name: 'campaigns.update',
    text: `update campaigns set name = $3, description = $4, inbox_id = $5, steps = $6, audience = $7, agent_id = $8, owner_id = $9,
        options = $10, scheduled_at = $11, updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, ...toValues(fields)],
  });
}

/** Notes which attachments the campaign's templates show, so that they cannot be removed. */
export function setCampaignFiles(tx: TenantTx, id: string, attachments: readonly string[]): Promise<number> {
  return exec(tx, {
    name: 'campaigns.setFiles',
    text: `with named as (select distinct a._id from unnest($3::text[]) as a (_id)),
      left_out as (
        delete from campaign_files where company_id = $1 and campaign_id = $2 and attachment_id not in (select _id from named)
      )
      insert into campaign_files (company_id, campaign_id, attachment_id) select $1, $2, _id from named on conflict do nothing`,
    values: [tx.companyId, id, attachments],
  });
}

export function deleteCampaign(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'campaigns.delete',
    text: 'delete from campaigns where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

export function findCampaign(tx: TenantRead, id: string): Promise<CampaignRow | null> {
  return maybeOne(tx, {
    name: 'campaigns.find',
    text: `select ${COLUMNS} from campaigns where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function findCampaigns(tx: TenantRead, ids: string[]): Promise<CampaignRow[]> {
  return many(tx, {
    name: 'campaigns.findMany',
    text: `select ${COLUMNS} from campaigns where company_id = $1 and _id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

export function lockCampaign(tx: TenantTx, id: string): Promise<CampaignRow | null> {
  return maybeOne(tx, {
    name: 'campaigns.lock',
    text: `select ${COLUMNS} from campaigns where company_id = $1 and _id = $2 for update`,
    values: [tx.companyId, id],
  });
}

export interface CampaignFilter {
  status: string | null;
  inbox: string | null;
  search: string | null;
}

export function listCampaigns(
  tx: TenantRead,
  { status, inbox, search }: CampaignFilter,
  window: Window,
): Promise<Page<CampaignRow>> {
  return listPage(tx, window, {
    name: 'campaigns',
    columns: COLUMNS,
    from: 'campaigns',
    filter: `company_id = $1 and ($2::text is null or status = $2) and ($3::text is null or inbox_id = $3)
      and ($4::text is null or strpos(fold(name), fold($4)) > 0 or strpos(fold(description), fold($4)) > 0)`,
    values: [tx.companyId, status, inbox, search],
  });
}

/** Returns those of the ids that are contacts of the company. */
export async function findExistingContacts(tx: TenantRead, ids: string[]): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'campaigns.findContacts',
    text: 'select _id from contacts where company_id = $1 and _id = any($2::text[])',
    values: [tx.companyId, ids],
  });
  return rows.map(({ _id }) => _id);
}

/** Returns whom an inbox in test mode may write to. */
export async function findTestMode(
  tx: TenantRead,
  inbox: string,
): Promise<{ enabled: boolean; test_numbers: string[] }> {
  const { test_mode } = await one<{ test_mode: { enabled: boolean; test_numbers: string[] } }>(tx, {
    name: 'campaigns.findTestMode',
    text: 'select test_mode from inboxes where company_id = $1 and _id = $2',
    values: [tx.companyId, inbox],
  });
  return test_mode;
}

/** A campaign with what a worker has to know about it. */
export interface CampaignWork extends CampaignRow {
  enrolled_upto: string | null;
  is_enrolled: boolean;
  called_before: number;
  failed_before: number;
}

export function findCampaignWork(tx: TenantRead, id: string): Promise<CampaignWork | null> {
  return maybeOne(tx, {
    name: 'campaigns.findWork',
    text: `select ${COLUMNS}, enrolled_upto, is_enrolled, called_before::int, failed_before::int from campaigns
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}
