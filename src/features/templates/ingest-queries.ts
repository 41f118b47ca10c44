/** Statements that store what a network reports of templates. A network names an account, and several companies may use the same one. */
import type { ChannelName } from '../../channels/registry.ts';
import { oneValue } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

/** A change of a template; null for what did not change. */
export interface TemplateNews {
  account: string;
  name: string;
  language: string;
  /** When it happened, by the network's clock. */
  at: string;
  status: string | null;
  quality: string | null;
  category: string | null;
  /** Why the review refused it; stored together with a status. */
  rejected_reason: string | null;
  /** Whether the notification does not say all that has changed, so that the account has to be copied again. */
  is_partial: boolean;
}

/** The shortest pause between two copies that notifications ask for: a network reports many templates at the same moment. */
const PAUSE = `interval '30 seconds'`;

/**
 * Stores a change in each company that has an accepted inbox of the account, unless a newer change is stored. A catalogue is copied again when
 * it does not have the template, or when the change does not say everything. Returns the number of templates and catalogues that changed.
 */
export function applyNews(tx: SystemTx, channel: ChannelName, news: TemplateNews): Promise<number> {
  return oneValue(tx, {
    name: 'templates.applyNews',
    text: `with told as (
        select c.company_id, c._id from template_catalogues c
        where c.channel = $1 and c.account = $2 and exists (select from inboxes i where i.company_id = c.company_id
          and i.channel = c.channel and i.network_account = c.account and i.status = 'ACTIVE' and i.accepted_at is not null)
      ), named as (
        select t.company_id, t._id, t.catalogue_id from told join templates t on t.company_id = told.company_id
          and t.catalogue_id = told._id and t.name = $3 and t.language = $4
      ), changed as (
        update templates t set status = coalesce($6, t.status), quality = coalesce($7, t.quality), category = coalesce($8, t.category),
          rejected_reason = case when $6::text is null then t.rejected_reason else $9 end, told_at = $5, noted_at = now(),
          updated_at = case when (coalesce($6, t.status), coalesce($7, t.quality), coalesce($8, t.category),
              case when $6::text is null then t.rejected_reason else $9 end)
            is distinct from (t.status, t.quality, t.category, t.rejected_reason) then now() else t.updated_at end
        from named where t.company_id = named.company_id and t._id = named._id and coalesce(t.told_at <= $5, true) and not $10
        returning 1
      ), stale as (
        update template_catalogues c set due_at = least(c.due_at, greatest(now(), c.claimed_at + ${PAUSE}))
        from told where c.company_id = told.company_id and c._id = told._id
          and ($10 or not exists (select from named where named.company_id = told.company_id and named.catalogue_id = told._id))
        returning 1
      )
      select ((select count(*) from changed) + (select count(*) from stale))::int as touched`,
    values: [
      channel,
      news.account,
      news.name,
      news.language,
      news.at,
      news.status,
      news.quality,
      news.category,
      news.rejected_reason,
      news.is_partial,
    ],
  });
}
