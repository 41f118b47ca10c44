/** Statements on the queue of inboxes that are fetched. They work across companies. */
import type { FetchPlace, FetchPosition } from '../../../channels/fetching.ts';
import type { ChannelName } from '../../../channels/registry.ts';
import { pickInTurn, pickValues } from '../../../platform/work/claims/fair-pick.ts';
import type { ClaimCapacity, ClaimedRow, RowOutcome } from '../../../platform/work/claims/queue.ts';
import { exec, many } from '../../../platform/store/db.ts';
import { isPicked } from '../../../platform/store/picked-rows.ts';
import type { SystemTx, TenantTx } from '../../../platform/store/tenant.ts';

const QUEUE = { table: 'inbox_fetches', waiting: `state = 'WAITING'`, order: 'seq', columns: 'inbox_id' };

/** A condition that holds while an inbox waits to be fetched. */
export const IS_WAITING = `exists (select from inbox_fetches where ${QUEUE.waiting})`;

/** Whether the inbox `i` receives: it is open, and its network has accepted its credentials. */
export const RECEIVES = `i.status = 'ACTIVE' and i.accepted_at is not null`;

/** The id is that of the inbox. */
export interface ClaimedInbox extends ClaimedRow, FetchPlace {
  turn: number;
  failures: number;
  channel: ChannelName;
  address: string;
  /** False when the inbox was closed, or has lost its number, since it was queued. */
  receives: boolean;
}

/** Queues the inboxes of these channels that receive and were never fetched. */
export function enqueueNew(tx: SystemTx, channels: string[]): Promise<number> {
  return exec(tx, {
    name: 'inbound.enqueueFetches',
    text: `insert into inbox_fetches (company_id, inbox_id)
      select i.company_id, i._id from inboxes i where i.channel = any($1) and ${RECEIVES}
        and not exists (select from inbox_fetches f where f.company_id = i.company_id and f.inbox_id = i._id)
      order by 1, 2 on conflict do nothing`,
    values: [channels],
  });
}

/** Takes inboxes out of the queue, a few of each company in turn. */
export async function claimInboxes(
  tx: SystemTx,
  capacity: ClaimCapacity,
  leaseSeconds: number,
): Promise<{ claimed: ClaimedInbox[]; dismissed: number }> {
  const claimed = await many<ClaimedInbox>(tx, {
    name: 'inbound.claimFetches',
    text: `with recursive ${pickInTurn(QUEUE)}
      update inbox_fetches f set turn = f.turn + 1, has_news = false, state = 'RUNNING', due_at = now() + make_interval(secs => $6)
      from picked left join inboxes i on i.company_id = picked.company_id and i._id = picked.inbox_id where ${isPicked('f', 'inbox_id')}
      returning f.company_id as company, f.inbox_id as _id, f.turn, f.failures, f.position,
        i.fetch_from as start, i.channel, coalesce(i.network_address, '') as address, (${RECEIVES}) as receives`,
    values: [...pickValues(capacity), leaseSeconds],
  });
  return { claimed, dismissed: 0 };
}

export interface FetchOutcome extends RowOutcome {
  company: string;
  turn: number;
  failures: number;
  /** The seconds until the inbox is fetched again. */
  rest: number;
}

export function recordFetches(tx: SystemTx, outcomes: FetchOutcome[]): Promise<number> {
  // Something may have arrived behind what the turn has read.
  const again = 'o.rest = 0 or f.has_news and o.failures = 0';
  return exec(tx, {
    name: 'inbound.recordFetches',
    text: `update inbox_fetches f set state = case when ${again} then 'WAITING' else 'RESTING' end, failures = o.failures, seq = default,
        due_at = case when not (${again}) then now() + make_interval(secs => o.rest) end
      from unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::float[]) as o (company_id, inbox_id, turn, failures, rest)
      where f.company_id = o.company_id and f.inbox_id = o.inbox_id and f.turn = o.turn and f.state = 'RUNNING'`,
    values: [
      outcomes.map(({ company }) => company),
      outcomes.map(({ _id }) => _id),
      outcomes.map(({ turn }) => turn),
      outcomes.map(({ failures }) => failures),
      outcomes.map(({ rest }) => rest),
    ],
  });
}

/**
 * Returns inboxes to the queue that are due, or whose worker has died, or that were halted and saved since. Those that do not receive stay
 * until they do.
 */
export function requeueDue(tx: SystemTx, limit: number): Promise<number> {
  return exec(tx, {
    name: 'inbound.requeueFetches',
    text: `with picked as (
        select f.company_id, f.inbox_id from inbox_fetches f where f.state <> 'WAITING' and (f.due_at <= now() or f.due_at is null) and exists (
          select from inboxes i where i.company_id = f.company_id and i._id = f.inbox_id and ${RECEIVES}
            and (f.due_at is not null or i.connection_status <> 'ERROR'))
        order by f.due_at limit $1 for update of f skip locked
      )
      update inbox_fetches f set state = 'WAITING', due_at = null from picked where ${isPicked('f', 'inbox_id')}`,
    values: [limit],
  });
}

/** Fetches and watches an inbox no more until a user saves it. Running work of the inbox stores no outcome. */
export function haltFetches(tx: TenantTx, inbox: string, version: number): Promise<number> {
  return exec(tx, {
    name: 'inbound.haltFetches',
    text: `update inbox_fetches f set state = 'RESTING', due_at = null, turn = f.turn + 1, failures = f.failures + 1
      from inboxes i where f.company_id = $1 and f.inbox_id = $2 and i.company_id = $1 and i._id = $2 and i.connection_version = $3`,
    values: [tx.companyId, inbox, version],
  });
}

export interface ReadInbox {
  company: string;
  inbox: string;
  position: FetchPosition;
}

/** Stores how far inboxes have been read. */
export function setPositions(tx: SystemTx, read: ReadInbox[]): Promise<number> {
  return exec(tx, {
    name: 'inbound.setPositions',
    text: `update inbox_fetches f set position = p.position::jsonb
      from unnest($1::text[], $2::text[], $3::text[]) as p (company_id, inbox_id, position)
      where f.company_id = p.company_id and f.inbox_id = p.inbox_id`,
    values: [
      read.map(({ company }) => company),
      read.map(({ inbox }) => inbox),
      read.map(({ position }) => JSON.stringify(position)),
    ],
  });
}
