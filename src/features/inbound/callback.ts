/** Handles a call of a network, from its headers to the store. */
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Callbacks, Handshake, InboxCallbacks, SignatureCheck } from '../../channels/called.ts';
import type { Inbound, InboundMessage } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { isSameSecret } from '../../platform/store/secrets.ts';
import type { ShareOwner } from '../../platform/store/connection-shares.ts';
import { findInboxForCallback } from '../inboxes/called.ts';
import { takeLogIn } from '../inboxes/log-in.ts';
import { enqueueCheck } from '../inboxes/reported.ts';
import { isVerifyToken } from '../inboxes/verify-token.ts';
import type { Intake } from './intake.ts';
import { removeUnusedItem, keepItem, listFiles } from './pushed/kept-items.ts';
import { nameItem } from './pushed/reference.ts';

/** A call whose body has not been read yet. */
export interface IncomingCallback {
  channel: NamedChannel;
  /** Null when the headers already show that the call is not the network's. */
  check: SignatureCheck | null;
  /** False when the call is for an inbox that receives nothing: it is answered and dropped. */
  receives: boolean;
  /** The inbox that the network has not accepted yet: it is checked, and the network has to repeat the call. */
  waiting?: { company: string; inbox: string };
  /** The address of the inbox in the body, for the share of the memory that this call takes; empty when there is none. */
  findAddress(raw: Buffer): string;
  parse(body: unknown, item: string | null): Iterable<Inbound | null>;
  /** The inbox in whose calls files may come with their messages. */
  carrier?: Carrier | null;
}

interface Carrier {
  company: string;
  inbox: string;
  mayCarryFiles(raw: Buffer): boolean;
}

/** Opens a call to the path that all inboxes of the channel share. */
export const openCallback = (
  channel: NamedChannel,
  callbacks: Callbacks<Inbound>,
  headers: IncomingHttpHeaders,
): IncomingCallback => ({
  channel,
  check: callbacks.beginCheck(headers),
  receives: true,
  findAddress: callbacks.firstAddress,
  parse: callbacks.parse,
});

export interface InboxPath {
  channel: NamedChannel;
  callbacks: InboxCallbacks<Inbound>;
  inbox: string;
}

/** Opens a call to the path of one inbox. A call to an unknown inbox is refused, because nothing can show that a network made it. */
export async function openInboxCallback(
  kit: Kit,
  { channel, callbacks, inbox: id }: InboxPath,
  headers: IncomingHttpHeaders,
  behalf: ShareOwner,
): Promise<IncomingCallback> {
  const inbox = await findInboxForCallback(kit, channel, id, behalf);
  const address = inbox?.address ?? '';
  return {
    channel,
    check: inbox && callbacks.beginCheck(headers, inbox),
    receives: address !== '',
    ...(inbox?.isWaiting && { waiting: { company: inbox.company, inbox: id } }),
    findAddress: () => address,
    parse: (body, item) => (inbox ? keepElementsOfInbox(address, callbacks.parse(body, inbox.config, item)) : []),
    ...(inbox &&
      callbacks.mayCarryFiles && {
        carrier: { company: inbox.company, inbox: id, mayCarryFiles: callbacks.mayCarryFiles },
      }),
  };
}

/**
 * Gives the elements the address of the inbox that was called, and drops those that are about a whole account, so that the secret of an
 * inbox lets no one write to another inbox.
 */
function* keepElementsOfInbox(address: string, elements: Iterable<Inbound | null>): Generator<Inbound | null> {
  for (const element of elements) yield element && 'address' in element ? { ...element, address } : null;
}

export async function receiveCallback(kit: Kit, intake: Intake, call: IncomingCallback, raw: Buffer): Promise<void> {
  // The callback is admitted before it is parsed: the network repeats a callback that was answered 503.
  kit.storage.admit();
  intake.admit(call.channel, call.findAddress(raw), raw.length);
  if (call.carrier?.mayCarryFiles(raw)) return receiveFiles(kit, intake, { ...call, carrier: call.carrier }, raw);
  await intake.take(call.channel, raw.length, translateCallback(call, raw, null));
}

/** Takes a call that brings files with its messages. */
async function receiveFiles(
  kit: Kit,
  intake: Intake,
  call: IncomingCallback & { carrier: Carrier },
  raw: Buffer,
): Promise<void> {
  const { company, inbox } = call.carrier;
  const item = { company, id: newId() };
  const isKept = await keepItem(kit, item, {
    bytes: raw.length,
    read: () => Readable.from([raw], { objectMode: false }),
  });
  const files: InboundMessage[] = [];
  const elements = noteFiles(translateCallback(call, raw, isKept ? nameItem(item.id) : null), files);
  try {
    await intake.take(call.channel, raw.length, elements);
  } finally {
    // A call that could not be stored as a whole is repeated, and brings its files again.
    if (isKept) await removeUnusedItem(kit, { ...item, inbox }, files);
  }
}

function* noteFiles(elements: Iterable<Inbound | null>, files: InboundMessage[]): Generator<Inbound | null> {
  for (const element of elements) {
    files.push(...listFiles(element));
    yield element;
  }
}

/**
 * Answers 503 to a call for an inbox that the network has not accepted yet, and enqueues a check of the inbox. The caller knows the secret,
 * so it is the network, and the phone may just have been paired. The network repeats the call, which is taken once the check has accepted
 * the inbox.
 */
export async function putOff(kit: Kit, waiting: { company: string; inbox: string }): Promise<never> {
  await kit.database.tenantTx(waiting.company, (tx) => enqueueCheck(kit, tx, waiting));
  throw new AppError('UNAVAILABLE', 'The inbox is not connected yet', [], { 'retry-after': '5' });
}

/** Translates a callback into elements. This is a generator, so that the JSON is parsed only when the first element is requested. */
function* translateCallback(call: IncomingCallback, raw: Buffer, item: string | null): Generator<Inbound | null> {
  try {
    yield* call.parse(JSON.parse(raw.toString('utf8')), item);
  } catch (error) {
    // Failure policy: the signature shows that the network sent this body. The body is not JSON, and a repetition would not be either, so
    // it is kept aside and answered 200.
    yield { kind: 'unreadable', address: null, reason: (error as Error).name, raw };
  }
}

/** Takes a network's notice that someone has logged in. Throws BAD_SIGNATURE for one that no link of ours has led to. */
export async function receiveNotice(kit: Kit, channel: NamedChannel, raw: Buffer): Promise<void> {
  if (channel.logIn) await takeLogIn(kit, channel, channel.logIn, parseNotice(raw));
}

/** Failure policy: a notice that is not JSON proves nothing, and is refused like one without a token. */
function parseNotice(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return null;
  }
}

/** Returns true for the verification token of the installation and for the token of an inbox. */
export async function isOurToken(kit: Kit, handshake: Handshake, token: string): Promise<boolean> {
  return isSameSecret(token, handshake.token) || isVerifyToken(kit, token);
}
