/** Handles a call of a network, from its headers to the store. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Callbacks, Inbound, InboxCallbacks, SignatureCheck } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { sameText } from '../../platform/secrets.ts';
import type { Behalf } from '../../platform/connection-shares.ts';
import { openCalledInbox } from '../inboxes/called.ts';
import { isVerifyToken } from '../inboxes/verify-token.ts';
import type { Intake } from './intake.ts';

/** A call whose body has not been read yet. */
export interface Call {
  channel: NamedChannel;
  /** Null when the headers already show that the call is not the network's. */
  check: SignatureCheck | null;
  /** False when the call is for an inbox that receives nothing: it is answered and dropped. */
  receives: boolean;
  /** The address of the inbox in the body, for the share of the memory that this call takes; empty when there is none. */
  findAddress(raw: Buffer): string;
  parse(body: unknown): Iterable<Inbound | null>;
}

/** Opens a call to the path that all inboxes of the channel share. */
export const openCall = (channel: NamedChannel, callbacks: Callbacks, headers: IncomingHttpHeaders): Call => ({
  channel,
  check: callbacks.beginCheck(headers),
  receives: true,
  findAddress: callbacks.firstAddress,
  parse: callbacks.parse,
});

export interface InboxPath {
  channel: NamedChannel;
  callbacks: InboxCallbacks;
  inbox: string;
}

/** Opens a call to the path of one inbox. A call to an unknown inbox is refused, because nothing can show that a network made it. */
export async function openInboxCall(
  kit: Kit,
  { channel, callbacks, inbox: id }: InboxPath,
  headers: IncomingHttpHeaders,
  behalf: Behalf,
): Promise<Call> {
  const inbox = await openCalledInbox(kit, channel, id, behalf);
  const address = inbox?.address ?? '';
  return {
    channel,
    check: inbox && callbacks.beginCheck(headers, inbox),
    receives: address !== '',
    findAddress: () => address,
    parse: (body) => (inbox ? keepTo(address, callbacks.parse(body, inbox.config)) : []),
  };
}

/**
 * Gives the elements the address of the inbox that was called, and drops those that are about a whole account, so that the secret of an
 * inbox lets nobody write to another inbox.
 */
function* keepTo(address: string, elements: Iterable<Inbound | null>): Generator<Inbound | null> {
  for (const element of elements) yield element && 'address' in element ? { ...element, address } : null;
}

export async function receiveCallback(kit: Kit, intake: Intake, call: Call, raw: Buffer): Promise<void> {
  // The callback is admitted before it is parsed: the network repeats a callback that was answered 503.
  kit.storage.admit();
  intake.admit(call.channel, call.findAddress(raw), raw.length);
  await intake.take(call.channel, raw.length, translate(call, raw));
}

/** Translates a callback into elements. This is a generator, so that the JSON is parsed only when the first element is requested. */
function* translate(call: Call, raw: Buffer): Generator<Inbound | null> {
  try {
    yield* call.parse(JSON.parse(raw.toString('utf8')));
  } catch (error) {
    // Failure policy: the signature shows that the network sent this body. The body is not JSON, and a repetition would not be either, so
    // it is kept aside and answered 200.
    yield { kind: 'unreadable', address: null, reason: (error as Error).name, raw };
  }
}

/** Returns true for the verification token of the installation and for the token of an inbox. */
export async function isOurToken(kit: Kit, token: string): Promise<boolean> {
  return sameText(token, kit.config.WAP_VERIFY_TOKEN) || isVerifyToken(kit, token);
}
