import { many, one } from '../../../platform/store/db.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';

interface Traffic {
  last_inbound_at: string | null;
  last_outbound_at: string | null;
}

/** Returns when the last message came in and went out, each by one look into its index. */
export function findTraffic(read: TenantRead, inbox: string): Promise<Traffic> {
  return one(read, {
    name: 'messages.findTraffic',
    text: `select
        (select created_at from messages where company_id = $1 and inbox_id = $2 and message_type = 'INCOMING'
          order by created_at desc limit 1) as last_inbound_at,
        (select max(at) from inbox_acceptances where company_id = $1 and inbox_id = $2) as last_outbound_at`,
    values: [read.companyId, inbox],
  });
}

interface FailureCause {
  code: number | string;
  title: string;
  count: number;
  last_at: string;
}

/** Counts the newest failed messages of an inbox by their first cause, the most frequent ones first. */
export function countFailures(
  read: TenantRead,
  inbox: string,
  { since, most }: { since: string; most: number },
): Promise<FailureCause[]> {
  return many(read, {
    name: 'messages.countFailures',
    text: `select code, (array_agg(title order by failed_at desc))[1] as title, count(*)::int as count, max(failed_at) as last_at
      from (
        select coalesce(errors->0->'code', '"PROVIDER_REJECTED"'::jsonb) as code, coalesce(errors->0->>'title', '') as title, failed_at
        from messages where company_id = $1 and inbox_id = $2 and failed_at >= $3
        order by failed_at desc limit $4) f
      group by code order by count desc, last_at desc, code`,
    values: [read.companyId, inbox, since, most],
  });
}

/** Returns the newest elements that the inbox has received and no one could read. */
export function listUnreadable(
  read: TenantRead,
  inbox: string,
  { since, most }: { since: string; most: number },
): Promise<{ reason: string; at: string }[]> {
  return many(read, {
    name: 'messages.listUnreadable',
    text: `select reason, created_at as at from unreadable_items where company_id = $1 and inbox_id = $2 and created_at >= $3
      order by created_at desc limit $4`,
    values: [read.companyId, inbox, since, most],
  });
}
