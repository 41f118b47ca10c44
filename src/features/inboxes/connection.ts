/** Whether the network accepts an inbox's credentials: asked at save, by a job until it says yes or only a person can help, and daily. */
import type { Callback } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { connect } from './address.ts';
import { listUnchecked } from './address-queries.ts';
import { findInbox, setConnection, type InboxRow } from './queries.ts';
import { openSettings, readSettings } from './settings.ts';
import { verifyTokenFor } from './verify-token.ts';

// A save waits for the network, but never longer than a send does.
const CHECK_MS = 10_000;

/** The inbox after the check; null when the channel has nothing to check or the inbox changed meanwhile. */
export async function checkConnection(kit: Kit, row: InboxRow): Promise<InboxRow | null> {
  const channel = kit.channels.get(row.channel);
  if (!channel.check || row.status !== 'ACTIVE') return null;
  const settings = openSettings(row, channel, kit.secrets);
  const result = await channel.check(settings, AbortSignal.timeout(CHECK_MS), chooseCallback(kit, row));
  if (result.ok) return connect(kit, row, result.coexistence);
  const { error, retry } = result;
  // A network that is away takes nothing back of what it has accepted.
  if (retry && row.connection.status === 'CONNECTED') return row;
  const verdict = { status: retry ? 'PENDING' : 'ERROR', error, version: row.connection_version } as const;
  return kit.database.tenantTx(row.company, (tx) => setConnection(tx, row._id, verdict));
}

/** An inbox may be reached at an address of its own, and no longer. */
function chooseCallback(kit: Kit, { company, _id, webhook_url: url, callback_told }: InboxRow): Callback | null {
  return url !== null || callback_told ? { url, verifyToken: verifyTokenFor(kit, company, _id) } : null;
}

/** False while the check should be tried again. */
export async function recheckConnection(kit: Kit, company: string, inbox: string): Promise<boolean> {
  const row = await findInbox(kit.database.read(company), inbox);
  if (!row || row.status !== 'ACTIVE' || row.connection.status === 'CONNECTED') return true;
  const checked = await checkConnection(kit, row);
  return checked?.connection.status !== 'PENDING';
}

/** The daily look at a CONNECTED inbox. False while the network gives no verdict. */
export async function confirmConnection(kit: Kit, company: string, inbox: string): Promise<boolean> {
  const row = await findInbox(kit.database.read(company), inbox);
  if (row?.status !== 'ACTIVE' || row.connection.status !== 'CONNECTED') return true;
  const checked = await checkConnection(kit, row);
  return checked?.connection.checked_at !== row.connection.checked_at;
}

// A transaction of some tenths of a second.
const PAGE = 200;

/** Hands every CONNECTED inbox that is due to `ask`, a page at a time, with its place among all. */
export async function walkUnchecked(
  kit: Kit,
  ask: (due: { company: string; inbox: string }, place: number) => Promise<void>,
): Promise<void> {
  let after = { company: '', inbox: '' };
  for (let place = 0, page; ;) {
    page = await kit.database.systemTx('upkeep', (tx) => listUnchecked(tx, after, PAGE));
    const last = page.at(-1);
    if (!last) return;
    for (const due of page) await ask(due, place++);
    after = last;
  }
}

/** What the channel calls the network with. */
export interface Credentials {
  inbox: string;
  settings: Record<string, unknown>;
  /** Changes with the credentials, so that the network's verdict on old ones is not stored for new ones. */
  version: number;
}

/** Null when the inbox has none. */
export async function networkCredentials(kit: Kit, read: TenantRead, inbox: string): Promise<Credentials | null> {
  const row = await findInbox(read, inbox);
  if (!row) return null;
  const channel = kit.channels.get(row.channel);
  if (!readSettings(row, channel)) return null;
  return { inbox, settings: openSettings(row, channel, kit.secrets), version: row.connection_version };
}
