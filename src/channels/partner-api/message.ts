/** Reads one message of the gateway: written by a contact, on the company's phone, or through the gateway itself. */
import type { Inbound, InboundMessage } from '../channel.ts';
import {
  asBoolean,
  asDate,
  asIdentifier,
  asLabel,
  asNumber,
  asRecord,
  asText,
  toStorable,
  type Json,
} from '../values.ts';
import type { MessageContent } from '../content.ts';
import { isEmpty, openEnvelopes, readContent } from './content.ts';
import { MAX_CARRIED_NAME, type Surroundings } from './file-name.ts';
import { isOtherChat, readPerson } from './jid.ts';
import { makeUnreadable, type Scene } from '../scene.ts';

/** `item` names the event where the platform keeps it, because it may have a file in it. */
export interface EventScene extends Scene {
  item?: string | null;
}

/** The devices that the gateway is not. It tells them by the form of a message's id. */
const PHONES = new Set(['android', 'ios']);

/** Returns null for messages of groups, and for those that say nothing. */
export function readMessage(data: Json, scene: EventScene, isConfirmation: boolean): Inbound | null {
  const key = asRecord(data.key);
  const externalId = asIdentifier(key?.id);
  if (!key || externalId === null) return makeUnreadable(scene, 'a message has no id', data);
  if (isOtherChat(asText(key.remoteJid) ?? '')) return null;
  const person = readPerson(key);
  if (person.names.length === 0) return makeUnreadable(scene, 'a message names no person', data);
  const given = asRecord(data.message);
  if (!given)
    return data.message === undefined || data.message === null
      ? null
      : makeUnreadable(scene, 'a message has no parts', data);
  const message = openEnvelopes(given);
  // The protocol's own messages arrive as events for edits and removals.
  if (isEmpty(message) || isProtocol(message)) return null;
  const fromBusiness = isConfirmation || asBoolean(key.fromMe);
  const mayBeOurs = fromBusiness && !isConfirmation && !PHONES.has(asText(data.source) ?? '');
  const displayName = fromBusiness ? null : asLabel(data.pushName);
  const context = findContext(data, message);
  return {
    kind: 'message',
    address: scene.address,
    timestamp: asDate(data.messageTimestamp) ?? scene.now,
    externalId,
    origin: fromBusiness ? 'echo' : 'live',
    fromBusiness,
    ...(isConfirmation && { isConfirmation }),
    ...(mayBeOurs && { mayBeOurs }),
    system: false,
    person: { ...person, ...(displayName !== null && { displayName }) },
    replyTo: asIdentifier(context?.stanzaId),
    referral: readReferral(context),
    forwarded: readForwarded(context),
    errors: [],
    historyStatus: null,
    renamed: null,
    ...((isConfirmation || mayBeOurs ? readTemplate(message) : null) ??
      readContent(message, describeSurroundings(given, externalId, scene), asLabel(data.messageType))),
  };
}

/** The part of WhatsApp's protocol that is shown to people: someone mentions the business in a status. */
const MENTIONS: readonly unknown[] = [25, 'STATUS_MENTION_MESSAGE'];

function isProtocol({ protocolMessage }: Json): boolean {
  const part = asRecord(protocolMessage);
  return part !== null && !MENTIONS.includes(part.type);
}

/** An instance on the Cloud API shows a template that it has sent by its name only. */
const SENT_TEMPLATE = /^▶️([a-z0-9_]{1,512})◀️$/u;

/** Returns a template with its name in the place of its text, which the gateway does not know. */
function readTemplate({ conversation }: Json): MessageContent | null {
  const [, name] = SENT_TEMPLATE.exec(asText(conversation) ?? '') ?? [];
  return name === undefined ? null : { contentType: 'TEMPLATE', content: name };
}

function describeSurroundings(given: Json, externalId: string, { item = null }: EventScene): Surroundings {
  const isCarried = item !== null && Boolean(asText(given.base64)) && externalId.length <= MAX_CARRIED_NAME;
  return { externalId, mediaUrl: asText(given.mediaUrl), item: isCarried ? item : null };
}

/** Finds the contextInfo of a message: what it answers, and where it comes from. It is in the event, in the message, or in one of its properties. */
function findContext(data: Json, message: Json): Json | null {
  const places = [
    data.contextInfo,
    message.contextInfo,
    ...Object.values(message).map((part) => asRecord(part)?.contextInfo),
  ];
  return places.map(asRecord).find((context) => context !== null && Object.keys(context).length > 0) ?? null;
}

/** WhatsApp marks a message that was forwarded this often. */
const OFTEN_FORWARDED = 5;

function readForwarded(context: Json | null): InboundMessage['forwarded'] {
  if (!asBoolean(context?.isForwarded)) return null;
  return (asNumber(context?.forwardingScore) ?? 1) >= OFTEN_FORWARDED ? 'OFTEN' : 'ONCE';
}

/** The texts and links of an advertisement. Its picture is left out. */
const REFERRAL_FIELDS = ['title', 'body', 'sourceType', 'sourceId', 'sourceUrl', 'ctwaClid', 'mediaUrl'];

function readReferral(context: Json | null): Json | null {
  const advertisement = asRecord(context?.externalAdReply);
  if (!advertisement) return null;
  const parts = Object.entries(advertisement).filter(([name]) => REFERRAL_FIELDS.includes(name));
  return parts.length === 0 ? null : (toStorable(Object.fromEntries(parts)) as Json);
}
