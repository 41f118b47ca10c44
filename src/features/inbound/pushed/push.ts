/** Takes what a network pushes whole to the path of an inbox, such as a mail, and stores it as if it had been fetched. */
import type { IncomingHttpHeaders } from 'node:http';
import type { PushedItems } from '../../../channels/fetching.ts';
import type { NamedChannel } from '../../../channels/registry.ts';
import type { Kit } from '../../../kit.ts';
import type { ByteSource } from '../../../platform/store/byte-source.ts';
import type { ShareOwner } from '../../../platform/store/connection-shares.ts';
import { AppError } from '../../../platform/values/errors.ts';
import { newId } from '../../../platform/values/ids.ts';
import { findInboxForCallback } from '../../inboxes/called.ts';
import { putOff } from '../callback.ts';
import type { Intake } from '../intake.ts';
import { countBytes, translateItem } from '../translate-item.ts';
import { removeUnusedItem, keepItem, listFiles } from './kept-items.ts';
import { nameItem } from './reference.ts';

/** How long a caller waits for the translation, with the wait for a child process. */
const PATIENCE_MS = 40_000;

/** The inbox to which something is pushed, by someone who knows its secret. */
export interface PushTarget {
  company: string;
  inbox: string;
  /** The network's address of the inbox; null when it receives nothing. */
  address: string | null;
  /** The name under which people write to the inbox. */
  recipient: string;
}

export interface PushPath {
  channel: NamedChannel;
  pushed: PushedItems;
  inbox: string;
}

/**
 * Decides by the headers alone, before the body is read. Throws BAD_SIGNATURE for an unknown inbox and for a wrong secret,
 * UNSUPPORTED_MEDIA_TYPE, and UNAVAILABLE for an inbox that its network has not accepted yet.
 */
export async function admitPush(
  kit: Kit,
  { channel, pushed, inbox: id }: PushPath,
  headers: IncomingHttpHeaders,
  behalf: ShareOwner,
): Promise<PushTarget> {
  const inbox = await findInboxForCallback(kit, channel, id, behalf);
  if (!inbox || !pushed.isAllowed(headers, inbox.config)) {
    kit.metrics.inbound.inc({ channel: channel.name, outcome: 'refused' });
    throw new AppError('BAD_SIGNATURE');
  }
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (type !== '' && !pushed.contentTypes.includes(type.trim()))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `This path accepts ${pushed.contentTypes[0]}`);
  if (inbox.isWaiting) return putOff(kit, { company: inbox.company, inbox: id });
  return { company: inbox.company, inbox: id, address: inbox.address, recipient: pushed.findRecipient(inbox.config) };
}

/** Stores what was pushed. The files of its messages are taken from it later, so it is kept for a day when new messages have some. */
export async function receivePush(
  kit: Kit,
  intake: Intake,
  { channel, source }: { channel: NamedChannel; source: ByteSource },
  { company, inbox, address, recipient }: PushTarget & { address: string },
): Promise<void> {
  if (source.bytes === 0) throw new AppError('MALFORMED_BODY', 'The body is empty');
  kit.storage.admit();
  const id = newId();
  const item = { address, recipient, reference: nameItem(id), receivedAt: new Date(), isCut: false };
  const how = { patienceMs: PATIENCE_MS, isAwaited: true };
  const elements = await translateItem(kit, { company, channel: channel.name, item, source }, how);
  const files = elements.flatMap(listFiles);
  const isKept = files.length > 0 && (await keepItem(kit, { company, id }, source));
  try {
    await intake.take(channel, countBytes(elements), elements);
  } finally {
    // What could not be stored is pushed again, and brings its files again.
    if (isKept) await removeUnusedItem(kit, { company, id, inbox }, files);
  }
}
