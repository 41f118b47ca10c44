/** Statements across all companies that decide which inbox owns a phone number of a network. */
import type { FetchPosition } from '../../channels/fetching.ts';
import type { ChannelName } from '../../channels/registry.ts';
import { exec, many, maybeOne } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { BEFORE, BEGUN_HISTORY, CHANGED, COLUMNS, type ChangedInbox, type InboxRow } from './queries.ts';

/** The address of an inbox at its network, for example a phone number id. */
export interface Address {
  channel: ChannelName;
  address: string;
}

/** Finds the inbox that owns the address, other than `but`, unless the network has refused its credentials since. */
export function findOwner(tx: SystemTx, { channel, address }: Address, but: string): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'inboxes.findOwner',
    text: `select _id from inboxes where channel = $1 and network_address = $2 and status = 'ACTIVE' and accepted_at is not null
        and connection_status <> 'ERROR' and _id <> $3`,
    values: [channel, address, but],
  });
}

/** Lists the ACTIVE inboxes with this address. */
export function listAtAddress(tx: SystemTx, { channel, address }: Address): Promise<InboxRow[]> {
  return many(tx, {
    name: 'inboxes.listAtAddress',
    text: `select ${COLUMNS} from inboxes where channel = $1 and network_address = $2 and status = 'ACTIVE' order by company_id, _id`,
    values: [channel, address],
  });
}

/** What an inbox has at the new place of its network: settings that change, below their property, and its address. */
export interface NewPlace {
  field: string;
  changed: Record<string, unknown>;
  address: string;
}

/** Changes the ACTIVE inboxes whose address matches `from`, a regular expression, and is not the new one already. */
export function moveMatching(
  tx: SystemTx,
  { channel, from }: { channel: ChannelName; from: string },
  { field, changed, address }: NewPlace,
): Promise<number> {
  return exec(tx, {
    name: 'inboxes.moveMatching',
    text: `update inboxes set settings = jsonb_set(settings, array[$3], settings->$3 || $4::jsonb), network_address = $5,
        connection_version = connection_version + 1
      where channel = $1 and network_address ~ $2 and network_address <> $5 and status = 'ACTIVE'`,
    values: [channel, from, field, JSON.stringify(changed), address],
  });
}

export interface Claimant {
  _id: string;
  version: number;
  status: InboxRow['connection']['status'];
  /** True for an inbox that receives at the address, even if the network has refused its credentials since. */
  receives: boolean;
}

/** Locks every ACTIVE inbox with this address, always in the same order. */
export function lockClaimants(tx: SystemTx, { channel, address }: Address): Promise<Claimant[]> {
  return many(tx, {
    name: 'inboxes.lockClaimants',
    text: `select _id, connection_version as version, connection_status as status, accepted_at is not null as receives
      from inboxes where channel = $1 and network_address = $2 and status = 'ACTIVE' order by company_id, _id for no key update`,
    values: [channel, address],
  });
}

/**
 * Removes the address from all inboxes that claim it except the winner. Their connection version changes, so that the result of a check
 * that is still running is not stored.
 */
export function dropOtherClaims(
  tx: SystemTx,
  { channel, address }: Address,
  winner: string,
  error: string,
): Promise<InboxRow[]> {
  return many(tx, {
    name: 'inboxes.dropOtherClaims',
    text: `update inboxes set connection_status = 'ERROR', connection_error = $4, connection_checked_at = now(),
        connection_version = connection_version + 1, accepted_at = null
      where channel = $1 and network_address = $2 and status = 'ACTIVE' and _id <> $3
        and (connection_error is distinct from $4 or accepted_at is not null)
      returning ${COLUMNS}`,
    values: [channel, address, winner, error],
  });
}

/**
 * Marks an inbox as CONNECTED, because the network has accepted its credentials, and stores what the network reports of coexistence. An inbox
 * that is accepted again is fetched from this moment on.
 */
export function connectInbox(
  tx: SystemTx,
  { company, _id }: { company: string; _id: string },
  verdict: { version: number; coexistence: boolean | null; start?: FetchPosition; account?: string | null },
): Promise<ChangedInbox | null> {
  return maybeOne(tx, {
    name: 'inboxes.connect',
    text: `${BEFORE} update inboxes set connection_status = 'CONNECTED', connection_error = null, connection_checked_at = now(),
        accepted_at = coalesce(accepted_at, now()), callback_told = webhook_url is not null,
        coexistence_enabled = coalesce($4, coexistence_enabled),
        coexistence_told_at = case when $4 is null then coexistence_told_at else now() end,
        history = case when history is null and $4 and not coexistence_enabled then ${BEGUN_HISTORY} else history end,
        fetch_from = case when accepted_at is null then $5::jsonb else fetch_from end,
        network_account = case when $6 then $7 else network_account end
      from before where company_id = $1 and _id = $2 and connection_version = $3 returning ${CHANGED}`,
    values: [
      company,
      _id,
      verdict.version,
      verdict.coexistence,
      verdict.start ? JSON.stringify(verdict.start) : null,
      verdict.account !== undefined,
      verdict.account ?? null,
    ],
  });
}

/** Lists a page of CONNECTED inboxes whose credentials were not checked in the last 12 hours. */
export function listUnchecked(
  tx: SystemTx,
  after: { company: string; inbox: string },
  limit: number,
): Promise<{ company: string; inbox: string }[]> {
  return many(tx, {
    name: 'inboxes.listUnchecked',
    text: `select company_id as company, _id as inbox from inboxes
      where (company_id, _id) > ($1, $2) and status = 'ACTIVE' and connection_status = 'CONNECTED'
        and connection_checked_at < now() - interval '12 hours'
      order by company_id, _id limit $3`,
    values: [after.company, after.inbox, limit],
  });
}
