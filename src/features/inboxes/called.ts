/** Opens the inbox that a network calls at the inbox's own path. */
import type { CalledInbox } from '../../channels/called.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { isId } from '../../platform/values/ids.ts';
import type { ShareOwner } from '../../platform/store/connection-shares.ts';
import { findCalled } from './ingest-queries.ts';
import { openSettings } from './settings.ts';
import { verifyTokenFor } from './verify-token.ts';

export interface OpenedInbox extends CalledInbox {
  company: string;
  /** The network's address of the inbox; null when the inbox receives nothing, because it is deleted or not accepted by the network. */
  address: string | null;
  /** True for an inbox that will receive once the network has accepted it. */
  isWaiting: boolean;
}

/** Returns the inbox with its decrypted settings; null when the channel has no inbox with this id. */
export async function findInboxForCallback(
  kit: Kit,
  channel: NamedChannel,
  id: string,
  behalf: ShareOwner,
): Promise<OpenedInbox | null> {
  const row = isId(id) ? await findCalled(kit.database.system(behalf), channel.name, id) : null;
  return (
    row && {
      config: openSettings(row, channel, kit.secrets),
      verifyToken: verifyTokenFor(kit, row.company, row._id),
      company: row.company,
      address: row.receives ? row.network_address : null,
      isWaiting: row.status === 'ACTIVE' && !row.receives,
    }
  );
}
