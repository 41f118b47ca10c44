/** The name by which clients of other protocols address an inbox. */
import type { Kit } from '../../kit.ts';
import { alreadyTaken } from '../../platform/values/errors.ts';
import { makeSlug } from '../../platform/values/words.ts';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { whenTaken } from '../../platform/store/taken.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { findByDoorName, findFreeDoorName, type InboxRow } from './queries.ts';
import { readSettings } from './settings.ts';

/** After these numbers the id of the inbox makes the name different. */
const NUMBERS = [2, 3, 4, 5, 6, 7, 8, 9];

/** Returns a name that is free: the one that the inbox had, or its name at the network, or else a slug of its name. */
export async function chooseDoorName(kit: Kit, tx: TenantTx, inbox: InboxRow): Promise<string> {
  const channel = kit.channels.get(inbox.channel);
  const settings = readSettings(inbox, channel);
  const wanted =
    inbox.door_name ||
    (settings && channel.settings?.instanceName?.(settings)) ||
    (makeSlug(inbox.name, 'inbox') ?? 'inbox');
  // Another inbox may get the same name at the same moment.
  await lockLimit(tx, 'door names');
  const names = [wanted, ...NUMBERS.map((number) => `${wanted}_${number}`), `${wanted}_${inbox._id}`];
  return (await findFreeDoorName(tx, inbox._id, names)) ?? inbox._id;
}

/** Answers the write of a name that another inbox has. */
export const refuseTakenName = (read: TenantRead, name = '') =>
  whenTaken('inboxes_door_name_key', async () => {
    throw alreadyTaken('INSTANCE_EXISTS', 'door_name', (await findByDoorName(read, name))?._id);
  });
