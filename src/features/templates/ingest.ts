/** Stores what a network reports of templates, in the transaction of the batch of callbacks. */
import type { ChannelName } from '../../channels/registry.ts';
import type { InboundTemplate } from '../../channels/templates/network.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { applyNews } from './ingest-queries.ts';

/** Returns how many of the companies' copies changed. `at` is the time of the change, at most the present time. */
export function applyTemplateNews(
  tx: SystemTx,
  channel: ChannelName,
  { account, name, language, change }: InboundTemplate,
  at: string,
): Promise<number> {
  const { status = null, quality = null, category = null, rejectedReason = null } = change ?? {};
  const news = { account, name, language, at, status, quality, category, rejected_reason: rejectedReason };
  return applyNews(tx, channel, { ...news, is_partial: change === null });
}
