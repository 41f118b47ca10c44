/**
 * Asks the network whether it accepts the credentials of an inbox: when the inbox is saved, by a job while the network has not answered,
 * and daily.
 */
import type { Channel } from '../../channels/channel.ts';
import type { Callback } from '../../channels/check.ts';
import { CALL_MS } from '../../channels/limits.ts';
import type { Kit } from '../../kit.ts';
import { walkPortions } from '../../platform/store/portions.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { connect, isOwnedByAnother } from './address.ts';
import { listAtAddress, listUnchecked, moveMatching, type Address, type NewPlace } from './address-queries.ts';
import { storeVerdict } from './connection-changes.ts';
import { findInbox, type InboxRow } from './queries.ts';
import { openSettings, readSettings } from './settings.ts';
import { verifyTokenFor } from './verify-token.ts';

/** Checks the credentials and returns the inbox; null when the channel has nothing to check or the inbox changed in the meantime. */
export async function checkConnection(kit: Kit, row: InboxRow): Promise<InboxRow | null> {
  const channel = kit.channels.get(row.channel);
  if (!channel.check || row.status !== 'ACTIVE' || lacksSettings(row, channel)) return null;
  const settings = openSettings(row, channel, kit.secrets);
  const told = chooseCallback(kit, channel, row);
  // The network calls one address for each number, and that of the owner must stay.
  const callback = told && (await isOwnedByAnother(kit, row)) ? null : told;
  const result = await channel.check(settings, AbortSignal.timeout(CALL_MS), callback, row.company);
  if (result.ok) return connect(kit, row, result);
  const { error, retry } = result;
  // An inbox stays CONNECTED while the network cannot be reached.
  if (retry && row.connection.status === 'CONNECTED') return row;
  const verdict = { status: retry ? 'PENDING' : 'ERROR', error, version: row.connection_version } as const;
  return kit.database.tenantTx(row.company, (tx) => storeVerdict(kit, tx, row._id, verdict));
}

/** True for an inbox from a time when its channel had no settings. */
const lacksSettings = (row: InboxRow, channel: Channel): boolean =>
  channel.settings !== null && readSettings(row, channel) === null;

/**
 * Returns the callback address that the network should use for this inbox; its `url` is null when the network should forget an earlier
 * address. Returns null when there is nothing to tell.
 */
function chooseCallback(kit: Kit, { callbacks, inboxCallbacks }: Channel, row: InboxRow): Callback | null {
  const { company, _id, webhook_url, callback_told } = row;
  const ownPath = inboxCallbacks ? `${inboxCallbacks.path}/${_id}` : callbacks?.isTold ? callbacks.path : null;
  const url = webhook_url ?? (ownPath && `${kit.config.PUBLIC_URL}${ownPath}`);
  return url !== null || callback_told ? { url, verifyToken: verifyTokenFor(kit, company, _id) } : null;
}

/** Checks an inbox that is not CONNECTED. Returns false while the check should be tried again. */
export async function recheckConnection(kit: Kit, company: string, inbox: string): Promise<boolean> {
  const row = await findInbox(kit.database.read(company), inbox);
  if (!row || row.status !== 'ACTIVE' || row.connection.status === 'CONNECTED') return true;
  const checked = await checkConnection(kit, row);
  return checked?.connection.status !== 'PENDING';
}

/** Checks a CONNECTED inbox, once a day. Returns false when the network gave no answer, so that the check should be tried again. */
export async function confirmConnection(kit: Kit, company: string, inbox: string): Promise<boolean> {
  const row = await findInbox(kit.database.read(company), inbox);
  if (row?.status !== 'ACTIVE' || row.connection.status !== 'CONNECTED') return true;
  const checked = await checkConnection(kit, row);
  return checked?.connection.checked_at !== row.connection.checked_at;
}

/** Checks an inbox whose network has reported a change of its connection. */
export async function checkReported(kit: Kit, company: string, inbox: string): Promise<void> {
  const row = await findInbox(kit.database.read(company), inbox);
  if (row) await checkConnection(kit, row);
}

/** Checks the inboxes at an address, for a network that has forgotten where it has to call. */
export async function checkAddress(kit: Kit, address: Address): Promise<void> {
  for (const row of await listAtAddress(kit.database.system('upkeep'), address)) await checkConnection(kit, row);
}

/** Changes the inboxes of a network that has moved. `from` is a regular expression for the addresses that they had. */
export const moveAddress = (
  kit: Kit,
  from: { channel: Address['channel']; from: string },
  to: NewPlace,
): Promise<number> => moveMatching(kit.database.system('upkeep'), from, to);

// The number of inboxes in a page, whose transaction takes some tenths of a second.
const PAGE = 200;

/** Calls `ask` for every CONNECTED inbox whose daily check is due, with its position in the whole list. */
export async function walkUnchecked(
  kit: Kit,
  ask: (due: { company: string; inbox: string }, place: number) => Promise<void>,
): Promise<void> {
  const first = { company: '', inbox: '' };
  const pages = walkPortions((last: typeof first | null) =>
    kit.database.systemTx('upkeep', (tx) => listUnchecked(tx, last ?? first, PAGE)),
  );
  let place = 0;
  for await (const page of pages) for (const due of page) await ask(due, place++);
}

/** The settings with which a channel calls its network. */
export interface Credentials {
  inbox: string;
  settings: Record<string, unknown>;
  /** The version of the credentials, so that the verdict of the network on old credentials is not stored for new ones. */
  version: number;
}

/** Returns the decrypted settings of an inbox; null when the inbox has none. */
export async function networkCredentials(kit: Kit, read: TenantRead, inbox: string): Promise<Credentials | null> {
  const row = await findInbox(read, inbox);
  if (!row) return null;
  const channel = kit.channels.get(row.channel);
  if (!readSettings(row, channel)) return null;
  return { inbox, settings: openSettings(row, channel, kit.secrets), version: row.connection_version };
}
