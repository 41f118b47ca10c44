/** The last messages of an address at a network, whichever company's inbox it is. */
import type { Kit } from '../../kit.ts';
import { actAs } from '../../platform/store/tenant.ts';
import { findReceivers } from '../inboxes/ingest-queries.ts';
import type { Message } from '../messages/schemas.ts';
import { searchMessages } from '../messages/search.ts';

type Channel = Parameters<typeof findReceivers>[1];

/** Returns the last messages of the inbox that has this address, newest first; none where no inbox has it. */
export async function listLastMessages(kit: Kit, channel: Channel, address: string, limit: number): Promise<Message[]> {
  const [owner] = await kit.database.systemTx('upkeep', (tx) => findReceivers(tx, channel, [address]));
  if (!owner) return [];
  const acting = actAs(kit.database, owner.company, { type: 'system', id: null, name: 'Last messages' });
  const query = { inbox: owner.inbox, page: 1, limit, skipCount: true, sort: '-createdAt' } as const;
  return (await searchMessages(acting, query)).result;
}
