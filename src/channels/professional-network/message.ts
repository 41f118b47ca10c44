/** Reads what someone wrote: a contact, or a person of the company, through the platform or elsewhere. */
import type { Inbound, InboundMessage } from '../channel.ts';
import type { MessageContent } from '../content.ts';
import { asDate, asIdentifier, asRecord, asText, type Json } from '../values.ts';
import { makeUnreadable } from '../scene.ts';
import { isSet, makeUnsupported, readContents } from './content.ts';
import { nameReaction, OURS } from './reaction.ts';
import { isAccountItself, type Talk } from './talk.ts';

/** The most characters of an id to which the place of an attachment is added. */
const LONGEST = 480;
/** The most characters of a reaction; some are made of many parts. */
const LONGEST_EMOJI = 64;

/** A message with several attachments becomes several messages, of which the first has the network's id. */
export function* readMessage(event: Json, talk: Talk): Generator<Inbound | null> {
  // Notices such as a new member of the chat.
  if (isSet(event.is_event)) return yield null;
  if (talk.person.names.length === 0) return yield makeUnreadable(talk.scene, 'a message names no person', event);
  const [first, ...rest] = readContents(event, talk.externalId);
  const timestamp = readTime(event.timestamp) ?? talk.scene.now;
  const replyTo = asIdentifier(asRecord(event.quoted)?.id ?? asRecord(event.reply_to)?.id ?? event.reply_to);
  const base = compose(talk, talk.isOurs, { timestamp, replyTo });
  const content = first ?? makeUnsupported(asText(event.message_type) ?? 'message', event);
  yield { ...base, externalId: talk.externalId, ...(talk.isOurs && { mayBeOurs: true }), ...content };
  for (const [index, further] of rest.entries())
    yield { ...base, externalId: `${talk.externalId.slice(0, LONGEST)}#${index + 2}`, ...further };
}

/** A reaction carries the message that it is about, and has no id of its own. */
export function* readReaction(event: Json, talk: Talk): Generator<Inbound | null> {
  if (talk.person.names.length === 0) return yield makeUnreadable(talk.scene, 'a reaction names no person', event);
  const sender = asRecord(event.reaction_sender);
  const emoji =
    asText(asRecord(event.reaction)?.value ?? event.reaction)
      ?.slice(0, LONGEST_EMOJI)
      .toWellFormed() || null;
  // In a chat of two, someone who is not the account is the contact.
  const isOurs = sender ? isAccountItself(sender, { account_info: event.account_info }) : false;
  const writer = isOurs ? OURS : (asText(sender?.attendee_provider_id) ?? '');
  const content: MessageContent = { contentType: 'REACTION', reaction: { externalId: talk.externalId, emoji } };
  const base = compose(talk, isOurs, { timestamp: talk.scene.now, replyTo: null });
  const externalId = nameReaction(talk.externalId, writer, emoji);
  yield { ...base, externalId, ...(isOurs && { mayBeOurs: true }), ...content };
}

type Envelope = Omit<InboundMessage, keyof MessageContent | 'externalId'>;

const compose = (
  { scene, person }: Talk,
  fromBusiness: boolean,
  told: Pick<InboundMessage, 'timestamp' | 'replyTo'>,
): Envelope => ({
  kind: 'message',
  address: scene.address,
  origin: fromBusiness ? 'echo' : 'live',
  fromBusiness,
  system: false,
  person,
  referral: null,
  forwarded: null,
  errors: [],
  historyStatus: null,
  renamed: null,
  ...told,
});

const readTime = (value: unknown): Date | null => asDate(typeof value === 'string' ? Date.parse(value) : value);
