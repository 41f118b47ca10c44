/** Turns a stored delivery into what the webhook of a door gets. */
import { PHONE_NUMBER } from '../../../channels/identity.ts';
import type { Kit } from '../../../kit.ts';
import {
  findDoorFormat,
  type DoorEvent,
  type DoorFile,
  type DoorLookUps,
  type DoorRequest,
} from '../../../platform/outside/door-formats.ts';
import { createArrivals, findArrived, type Arrivals } from '../../attachments/arrivals.ts';
import { openAttachment } from '../../attachments/attachments.ts';
import { readInboxes } from '../../inboxes/inboxes.ts';
import { readMessages } from '../../messages/messages.ts';
import type { ClaimedDelivery } from '../delivery-queries.ts';
import type { OpenedHeaders } from '../headers.ts';
import { listAddresses } from './queries.ts';

export type BuildDoorRequest = (delivery: ClaimedDelivery, headers: OpenedHeaders) => Promise<DoorRequest | null>;

/** A file that is being fetched is waited for. The attempt has ten seconds for this and the call. */
const FILE_WAIT_MS = 5_000;

export function createDoorRequests(kit: Kit): BuildDoorRequest {
  const arrivals = createArrivals(kit.changes);
  return async ({ company, hook, form, url, event, body }, { sent, apiKey }) => {
    if (hook === null || form === null) throw new Error('the delivery is not for the webhook of a door');
    const { timestamp, data } = JSON.parse(body) as Pick<DoorEvent, 'timestamp' | 'data'>;
    const { door, inbox, options } = hook;
    const told = {
      form,
      url,
      inbox,
      options,
      apiKey,
      headers: sent,
      event: event as DoorEvent['event'],
      timestamp,
      data,
    };
    return findDoorFormat(door).build(told, openLookUps(kit, arrivals, company), kit.config.PUBLIC_URL);
  };
}

function openLookUps(kit: Kit, arrivals: Arrivals, company: string): DoorLookUps {
  const read = kit.database.read(company);
  return {
    inbox: async (id) => (await readInboxes(read, [id], kit.secrets))[0] ?? null,
    message: async (id) => (await readMessages(read, [id]))[0] ?? null,
    phones: (contact) => listAddresses(read, contact, PHONE_NUMBER.kind),
    file: (id, maxBytes) => findFile(kit, arrivals, { company, id, maxBytes }),
  };
}

async function findFile(
  kit: Kit,
  arrivals: Arrivals,
  { company, id, maxBytes }: { company: string; id: string; maxBytes: number },
): Promise<DoorFile | null> {
  const row = await findArrived(kit.database.read(company), arrivals, { id, waitMs: FILE_WAIT_MS });
  if (row?.state !== 'READY' || row.bytes === null || row.bytes > maxBytes) return null;
  return {
    bytes: row.bytes,
    open: async () => {
      const opened = await openAttachment(kit, row);
      if (!opened) throw new Error('the file of an attachment is missing in the store');
      return opened.body;
    },
  };
}
