/** Shows the code by which a phone is paired with an inbox. The code is asked of the network each time and stored nowhere. */
import type { Pairing } from '../../channels/check.ts';
import type { Kit } from '../../kit.ts';
import { expectFound } from '../../platform/values/errors.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { checkNow } from './inboxes.ts';
import { callInTurn } from './network-turns.ts';
import { findInbox, type InboxRow } from './queries.ts';
import type { InboxPairing } from './schemas.ts';
import { openSettings, readSettings } from './settings.ts';

export async function pairInbox(kit: Kit, tenant: Tenant, id: string): Promise<InboxPairing> {
  const row = expectFound(await findInbox(tenant.read, id));
  const pairing = await askForCode(kit, row);
  if (pairing === null) return show({ state: 'NOT_NEEDED' });
  // The network's own report of the pairing may be late, and does not come to an inbox that was never connected.
  if (pairing.state === 'CONNECTED' && row.connection.status !== 'CONNECTED') await checkNow(kit, row);
  return show(pairing);
}

/** Returns null when no phone is paired with the inbox, because of its channel, its status or its missing settings. */
async function askForCode(kit: Kit, row: InboxRow): Promise<Pairing | null> {
  const channel = kit.channels.get(row.channel);
  const { pair } = channel;
  if (!pair || row.status !== 'ACTIVE' || !readSettings(row, channel)) return null;
  return callInTurn(row.company, (signal) => pair(openSettings(row, channel, kit.secrets), signal));
}

const show = ({ state, ...rest }: Pairing | { state: 'NOT_NEEDED' }): InboxPairing => ({
  state,
  picture: null,
  code: null,
  error: null,
  ...rest,
});
