/** The statement that stores how far the network has sent the old messages of phones. */
import type { InboundHistory } from '../../channels/phone-sync.ts';
import { exec } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

/** What a batch says about the history of an inbox. */
export interface HistoryNews extends Pick<InboundHistory, 'status' | 'progress' | 'error'> {
  company: string;
  inbox: string;
}

/**
 * Stores the news of each inbox once. Chunks come in any order, so the progress never falls, and a failure counts only while nothing has come.
 * The same news again changes nothing.
 */
export function storeHistoryNews(tx: SystemTx, news: HistoryNews[]): Promise<number> {
  return exec(tx, {
    name: 'inboxes.storeHistoryNews',
    text: `with told as (
        select i.company_id, i._id, greatest((i.history->>'progress')::int, n.progress, 0) as progress, n.error, n.status,
          n.progress is not null or coalesce(i.history->>'status' in ('RECEIVING', 'COMPLETE'), false) as has_come
        from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[]) as n (company_id, _id, status, progress, error)
        join inboxes i using (company_id, _id) order by i.company_id, i._id for no key update of i
      ), states as (
        select company_id, _id, jsonb_build_object('progress', progress, 'error', case when not has_come then error end,
          'status', case when not has_come then status when progress >= 100 then 'COMPLETE' else 'RECEIVING' end) as state from told
      )
      update inboxes i set updated_at = now(), history = '{"requested_at":null}'::jsonb || coalesce(i.history, '{}') || s.state
        || jsonb_build_object('updated_at', to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from states s where i.company_id = s.company_id and i._id = s._id and not coalesce(i.history, '{}') @> s.state`,
    values: [
      news.map(({ company }) => company),
      news.map(({ inbox }) => inbox),
      news.map(({ status }) => status),
      news.map(({ progress }) => progress),
      news.map(({ error }) => error),
    ],
  });
}
