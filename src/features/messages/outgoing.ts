/** Stores a message that is to be sent, and collects what the call to the network needs. */
import type { Channel } from '../../channels/channel.ts';
import type { OutboundMessage } from '../../channels/channel.ts';
import { listParts, type MessageContent } from '../../channels/content.ts';
import type { MessageThread } from '../../channels/thread.ts';
import type { Kit } from '../../kit.ts';
import type { Actor } from '../../platform/values/actor.ts';
import { AppError, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import type { Acting, TenantTx } from '../../platform/store/tenant.ts';
import { reopenConversation, takeOver } from '../conversations/update.ts';
import { networkCredentials } from '../inboxes/connection.ts';
import { makeOptOutLink } from '../opt-outs/links.ts';
import { readSignature } from '../users/users.ts';
import { takeTurn } from './account-pace.ts';
import { readAuthor } from './authors.ts';
import { findBlock, listCopied } from './blocks.ts';
import { takePlace, type DayPlace } from './day-limit.ts';
import { lockAttachments } from './file-queries.ts';
import {
  checkFile,
  checkHeaders,
  describeFile,
  makeOutboundFiles,
  type Header,
  type MessageFiles,
  type NamedAttachment,
} from './files.ts';
import { insertOutgoing, type NewOutgoing } from './insert-queries.ts';
import { keepPlaces } from './late-places.ts';
import type { Call } from './network-call.ts';
import { noteOutgoing } from './note-outgoing.ts';
import { addOperatorName, type NamedContent } from './operator-name.ts';
import { findReplied, findThread, lockSendTarget, type SendTarget } from './queries.ts';
import type { Cause, Message } from './schemas.ts';

/** A message to be sent. */
export interface Outgoing {
  conversation: string;
  content: MessageContent;
  /** The attachment whose file is sent by itself; null for other contents. */
  attachment: NamedAttachment | null;
  /** The attachments that the headers of a template show. */
  headers?: readonly Header[];
  /** The id of the message that this one answers. */
  replyTo: string | null;
  /** True for a held message whose conversation was closed meanwhile: sending it does not reopen the conversation. */
  keepsClosed?: boolean;
  /** True for what an agent says before a person answers: the contact goes on waiting, and the conversation stays unread. */
  keepsWaiting?: boolean;
  /** True for a message that many get, so that its recipient can unsubscribe. */
  unsubscribe?: boolean;
}

export interface StoredOutgoing {
  message: Message;
  /** What the call to the network needs; null when the platform itself does not send the message. */
  call: Call | null;
}

/** Stores the message as QUEUED, or as FAILED with its cause when the platform itself does not send it; then `call` is null. */
export async function storeOutgoing(
  kit: Kit,
  tx: TenantTx,
  acting: Acting,
  outgoing: Outgoing,
): Promise<StoredOutgoing> {
  const { target, replied, files } = await findNamed(kit, tx, acting, outgoing);
  const { own, cards } = files;
  const channel = kit.channels.get(target.channel);
  const words = writeOutgoing(channel, target, acting, outgoing.content);
  const { place, blocked } = await admit(kit, tx, target, outgoing.content);
  const isReaction = outgoing.content.contentType === 'REACTION';
  if (!isReaction && acting.actor.type === 'user' && target.handled_by === 'AI')
    await takeOver(tx, acting, target.conversation);
  const fresh: NewOutgoing = {
    ...readAuthor(acting.actor),
    _id: newId(),
    conversation: target.conversation,
    contact: target.contact,
    inbox: target.inbox,
    channel: target.channel,
    message_type: 'OUTGOING',
    content: listParts(outgoing.content),
    attachment: own?._id ?? null,
    media: own && describeFile(kit, own),
    reply_to: outgoing.replyTo,
    is_test: target.is_test,
    status: blocked ? 'FAILED' : 'QUEUED',
    errors: blocked ? [blocked] : [],
  };
  const [message, credentials, thread, signature] = await Promise.all([
    insertOutgoing(tx, fresh),
    blocked ? null : networkCredentials(kit, tx, target.inbox),
    channel.can.threads ? findThread(tx, target.conversation) : null,
    channel.can.subjects && acting.actor.type === 'user' ? readSignature(tx, acting.actor.id) : null,
  ]);
  tx.created(message._id);
  noteOutgoing(tx, acting.actor, [{ ...fresh, isReaction, keepsWaiting: outgoing.keepsWaiting === true }], {
    cards: cards.map(({ _id }) => _id),
    at: message.createdAt,
  });
  if (blocked) {
    kit.metrics.sends.inc({ channel: channel.name, outcome: 'blocked' });
    return { message, call: null };
  }
  if (place) tx.awaitAtCommit(keepPlaces(tx, place.portfolio, [{ message: message._id, ...place.reached }]));
  const outbound = makeOutbound(kit, acting, message, { outgoing, target, words, replied, files, thread, signature });
  const sent = own && { attachment: own._id };
  return { message, call: { channel, company: tx.companyId, stored: message, outbound, ...sent, credentials, place } };
}

/** Returns why the platform does not send the message, or else its place in the daily limit of the business. */
async function admit(
  kit: Kit,
  tx: TenantTx,
  target: SendTarget,
  content: MessageContent,
): Promise<{ place: DayPlace | null; blocked: Cause | null }> {
  const channel = kit.channels.get(target.channel);
  const blocked = findBlock(target, channel, content) ?? (await takeTurn(kit, tx, target, channel));
  if (blocked || content.contentType !== 'TEMPLATE') return { place: null, blocked };
  return takePlace(kit, tx, target, channel);
}

interface Named {
  target: SendTarget;
  replied: { external_id: string | null } | null;
  files: MessageFiles;
}

interface Composition extends Named {
  outgoing: Outgoing;
  words: NamedContent;
  thread: MessageThread | null;
  /** What the user signs mails with; null for the signature of the inbox. */
  signature: string | null;
}

/** Actors whose messages no person has written or chosen at that moment. */
const AUTOMATIC: ReadonlySet<Actor['type']> = new Set(['agent', 'campaign', 'followup', 'rule', 'away', 'csat']);

const makeOutbound = (
  kit: Kit,
  acting: Acting,
  { _id: messageId }: Message,
  { outgoing, target, words: { content, nameLine }, replied, files, thread, signature }: Composition,
): OutboundMessage => ({
  messageId,
  to: { names: target.names ?? [] },
  content,
  ...(nameLine !== null && { nameLine }),
  ...makeOutboundFiles(kit, files, content),
  replyTo: replied?.external_id ?? null,
  // In test mode nothing leaves for an address that is not among those of the tests.
  ...(thread && { thread: target.is_test ? { ...thread, replyTo: [] } : thread }),
  ...addOptOutLink(kit, acting, outgoing, target),
  ...(AUTOMATIC.has(acting.actor.type) && { isAutomatic: true }),
  ...(acting.actor.type === 'user' && { author: acting.actor.name }),
  ...(signature !== null && { signature }),
});

/** Actors whose messages no one has asked for. */
const UNASKED: ReadonlySet<Actor['type']> = new Set(['campaign', 'followup']);

/** The page at which the recipient unsubscribes, for a message that many get or that no one has asked for. */
function addOptOutLink(
  kit: Kit,
  { companyId: company, actor }: Acting,
  { unsubscribe }: Outgoing,
  { channel, contact }: SendTarget,
): Pick<OutboundMessage, 'unsubscribe'> {
  if (!kit.channels.get(channel).can.unsubscribe || (!unsubscribe && !UNASKED.has(actor.type))) return {};
  return { unsubscribe: makeOptOutLink(kit, { company, contact }) };
}

/** Finds what the message names, and throws where something is missing or the channel does not take the file. */
async function findNamed(
  kit: Kit,
  tx: TenantTx,
  acting: Acting,
  { conversation, content, attachment, headers = [], replyTo, keepsClosed, unsubscribe }: Outgoing,
): Promise<Named> {
  const named = attachment ? [{ attachment, path: 'message.attachment' }] : headers.map(toNamed);
  const [target, replied, locked] = await Promise.all([
    openTarget(kit, tx, acting, {
      id: conversation,
      reopens: keepsClosed !== true && content.contentType !== 'REACTION',
    }),
    replyTo === null ? null : findReplied(tx, conversation, replyTo),
    lockNamed(
      tx,
      named.map(({ attachment: { _id } }) => _id),
    ),
  ]);
  if (replyTo !== null && !replied) throw unknownReference('replyTo');
  const gone = named.find(({ attachment: { _id } }) => !locked.includes(_id));
  if (gone) throw unknownReference(gone.path);
  const channel = kit.channels.get(target.channel);
  if (!AUTOMATIC.has(acting.actor.type)) expectSendable(channel, content);
  checkMail(channel, content, { isMass: unsubscribe ?? false });
  if (unsubscribe && !channel.can.unsubscribe)
    throw invalid('unsubscribe', `has no effect on the channel ${channel.name}, whose messages have no such link`);
  const own = attachment && checkFile(channel, content, attachment);
  return { target, replied, files: own ? { own, cards: [] } : checkHeaders(channel, headers) };
}

/** Throws VALIDATION_FAILED for a mail's subject or recipients on another channel, and for a mass mail that names recipients. */
export function checkMail(
  { name, can }: Channel,
  content: MessageContent,
  { path = 'email', isMass = false }: { path?: string; isMass?: boolean },
): void {
  if (!listParts(content).email) return;
  if (!can.subjects) throw invalid(path, `has no effect on the channel ${name}, whose messages are no mails`);
  if (isMass && listCopied(content).length > 0)
    throw invalid(path, 'can only have a subject with unsubscribe, whose link is the contact’s own');
}

/** The stored message does not have the operator's name. No one reads the refusal of an automatic message, so the network judges it. */
function writeOutgoing(channel: Channel, target: SendTarget, { actor }: Acting, content: MessageContent): NamedContent {
  if (AUTOMATIC.has(actor.type)) return { content, nameLine: null };
  return addOperatorName(channel.can, content, target.operator_name && actor.type === 'user' ? actor.name : null);
}

/** Throws CONTENT_NOT_SUPPORTED. No one reads the refusal of an automatic message, so that one is stored as FAILED. */
export function expectSendable(channel: Channel, { contentType }: MessageContent, path = 'conversationId'): void {
  if (channel.can.content.includes(contentType)) return;
  const message = `is of the channel ${channel.name}, which cannot send ${contentType}`;
  throw new AppError('CONTENT_NOT_SUPPORTED', `${path} ${message}`, [{ path, code: 'CONTENT_NOT_SUPPORTED', message }]);
}

const toNamed = ({ attachment, place: { path } }: Header) => ({ attachment, path });

/** Most messages have no file, and need no statement for it. */
const lockNamed = (tx: TenantTx, ids: string[]): Promise<string[]> | string[] =>
  ids.length === 0 ? [] : lockAttachments(tx, ids);

/** Locks the conversation. A closed one is reopened, and gets the reply window that the contact has opened in a later conversation. */
async function openTarget(
  kit: Kit,
  tx: TenantTx,
  acting: Acting,
  { id, reopens }: { id: string; reopens: boolean },
): Promise<SendTarget> {
  const target = await lockSendTarget(tx, id, kit.channels.identityPlaces);
  if (!target) throw unknownReference('conversationId');
  if (!target.is_closed || !reopens) return target;
  await reopenConversation(tx, acting, id);
  return (await lockSendTarget(tx, id, kit.channels.identityPlaces)) ?? target;
}
