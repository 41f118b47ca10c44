/** Statements about who watches an inbox. They work across companies. */
import type { ChannelName } from '../../../channels/registry.ts';
import { exec, many } from '../../../platform/store/db.ts';
import { isPicked } from '../../../platform/store/picked-rows.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import { RECEIVES } from './queries.ts';

export interface WatchedInbox {
  company: string;
  /** The inbox. */
  _id: string;
  channel: ChannelName;
  /** Rises with each change of the settings that need another connection. */
  version: number;
}

const RECORD = `f.company_id as company, f.inbox_id as _id, i.channel, i.connection_version::int as version`;

/** Keeps the inboxes that this process watches, and returns those that it may go on to watch. A lease is renewed in its second half. */
export function renewWatches(tx: SystemTx, worker: string, leaseSeconds: number): Promise<WatchedInbox[]> {
  return many(tx, {
    name: 'inbound.renewWatches',
    text: `with renewed as (
        update inbox_fetches set watched_until = now() + make_interval(secs => $2)
        where watched_by = $1 and watched_until > now() and watched_until < now() + make_interval(secs => $2 / 2)
      )
      select ${RECORD} from inbox_fetches f join inboxes i on i.company_id = f.company_id and i._id = f.inbox_id
      where f.watched_by = $1 and f.watched_until > now() and ${RECEIVES}`,
    values: [worker, leaseSeconds],
  });
}

export interface WatchRoom {
  worker: string;
  channels: string[];
  /** How many more inboxes this process can watch. */
  most: number;
  /** How many inboxes of one company all processes watch, about. */
  perCompany: number;
  leaseSeconds: number;
}

/** Takes inboxes that no one watches and that have been fetched without a failure. */
export function claimWatches(
  tx: SystemTx,
  { worker, channels, most, perCompany, leaseSeconds }: WatchRoom,
): Promise<WatchedInbox[]> {
  return many(tx, {
    name: 'inbound.claimWatches',
    text: `with ranked as (
        select f.company_id, f.inbox_id, f.watched_until,
          row_number() over (partition by f.company_id order by f.watched_until > now() and f.watched_by is not null desc, f.inbox_id) as place
        from inbox_fetches f join inboxes i on i.company_id = f.company_id and i._id = f.inbox_id
        where i.channel = any($2) and f.failures = 0 and f.position is not null and ${RECEIVES}
      ), picked as (
        select c.company_id, c.inbox_id from ranked r join inbox_fetches c on ${isPicked('c', 'inbox_id', 'r')}
        where r.place <= $4 and (c.watched_until is null or c.watched_until <= now())
        order by c.watched_until nulls first, c.company_id, c.inbox_id limit $3 for update of c skip locked
      )
      update inbox_fetches f set watched_by = $1, watched_until = now() + make_interval(secs => $5)
      from picked left join inboxes i on i.company_id = picked.company_id and i._id = picked.inbox_id where ${isPicked('f', 'inbox_id')}
      returning ${RECORD}`,
    values: [worker, channels, most, perCompany, leaseSeconds],
    planEachTime: true,
  });
}

type InboxKey = Pick<WatchedInbox, 'company' | '_id'>;

/** Ends the watch of an inbox. No one watches it again for this time. */
export function endWatch(
  tx: SystemTx,
  worker: string,
  { company, _id }: InboxKey,
  restSeconds: number,
): Promise<number> {
  return exec(tx, {
    name: 'inbound.endWatch',
    text: `update inbox_fetches set watched_by = null, watched_until = now() + make_interval(secs => $4)
      where company_id = $2 and inbox_id = $3 and watched_by = $1`,
    values: [worker, company, _id, restSeconds],
  });
}

/** Makes an inbox due at once, or due again when it is being fetched. */
export function noteNews(tx: SystemTx, { company, _id }: InboxKey): Promise<number> {
  return exec(tx, {
    name: 'inbound.noteNews',
    text: `update inbox_fetches set has_news = true,
        state = case when state = 'RESTING' and failures = 0 then 'WAITING' else state end,
        due_at = case when state = 'RESTING' and failures = 0 then null else due_at end
      where company_id = $1 and inbox_id = $2 and not (state = 'WAITING' or has_news and state = 'RUNNING')`,
    values: [company, _id],
  });
}
