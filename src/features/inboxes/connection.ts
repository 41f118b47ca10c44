/** Whether the network accepts an inbox's credentials: asked at save, and again by a job until it says yes or only a person can help. */
import type { Callback } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';
import { findInbox, setConnection, type InboxRow } from './queries.ts';
import { openSettings, settingsOf } from './settings.ts';

// A save waits for the network, but never longer than a send does.
const CHECK_MS = 10_000;

interface Transactor {
  tx<T>(work: (tx: TenantTx) => Promise<T>): Promise<T>;
}

/** The inbox after the check; null when the channel has nothing to check or the inbox changed meanwhile. */
export async function checkConnection(kit: Kit, tenant: Transactor, row: InboxRow): Promise<InboxRow | null> {
  const channel = kit.channels.get(row.channel);
  if (!channel.check || row.status !== 'ACTIVE') return null;
  const callback = callbackOf(kit, row);
  const result = await channel.check(openSettings(row, channel, kit.secrets), AbortSignal.timeout(CHECK_MS), callback);
  const status = result.ok ? 'CONNECTED' : result.retry ? 'PENDING' : 'ERROR';
  return tenant.tx((tx) =>
    setConnection(tx, row._id, {
      status,
      error: result.ok ? null : result.error,
      coexistence: result.ok ? result.coexistence : null,
      version: row.connection_version,
    }),
  );
}

/** An inbox may be reached at an address of its own. */
function callbackOf(kit: Kit, row: InboxRow): Callback | null {
  const verifyToken = kit.config.WAP_VERIFY_TOKEN;
  return row.webhook_url && verifyToken ? { url: row.webhook_url, verifyToken } : null;
}

/** False while the check should be tried again. */
export async function recheckConnection(kit: Kit, company: string, inbox: string): Promise<boolean> {
  const row = await findInbox(kit.database.read(company), inbox);
  if (!row || row.status !== 'ACTIVE' || row.connection.status !== 'PENDING') return true;
  const checked = await checkConnection(kit, { tx: (work) => kit.database.tenantTx(company, work) }, row);
  return checked?.connection.status !== 'PENDING';
}

/** The settings with which the channel calls the network; null when the inbox has none. */
export async function networkSettings(
  kit: Kit,
  read: TenantRead,
  inbox: string,
): Promise<Record<string, unknown> | null> {
  const row = await findInbox(read, inbox);
  if (!row) return null;
  const channel = kit.channels.get(row.channel);
  return settingsOf(row, channel) ? openSettings(row, channel, kit.secrets) : null;
}
