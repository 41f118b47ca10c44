/** Statements with which an operator recounts the counters of campaigns. */
import { many } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export interface NamedCampaign {
  company: string;
  _id: string;
  name: string;
}

/** Returns the next campaigns of a company, or of all companies. */
export function listForRecount(
  tx: SystemTx,
  company: string | null,
  { after, most }: { after: NamedCampaign | null; most: number },
): Promise<NamedCampaign[]> {
  return many(tx, {
    name: 'campaigns.listForRecount',
    text: `select company_id as company, _id, name from campaigns
      where ($1::text is null or company_id = $1) and (company_id, _id) > ($2::text, $3::text) order by company_id, _id limit $4`,
    values: [company, after?.company ?? '', after?._id ?? '', most],
  });
}

/** A counter that differs from what was counted. */
export interface Difference {
  scope: string;
  name: string;
  kept: number;
  counted: number;
}

export function findDifferences(tx: SystemTx, { company, _id }: NamedCampaign): Promise<Difference[]> {
  return many(tx, {
    name: 'campaigns.findDifferences',
    text: 'select scope, name, kept::int, counted::int from campaign_differences($1, $2) order by 1, 2',
    values: [company, _id],
  });
}

/** Mends the counters, and returns those that were wrong. */
export function mendCounters(tx: SystemTx, { company, _id }: NamedCampaign): Promise<Difference[]> {
  return many(tx, {
    name: 'campaigns.mendCounters',
    text: 'select scope, name, kept::int, counted::int from recount_campaign($1, $2)',
    values: [company, _id],
  });
}
