/** What a visitor writes and sends. It is stored on the way of every message from a network. */
import type { InboundMessage } from '../../channels/channel.ts';
import { makeInteractiveReply, textOf, type MessageContent } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import { AppError, invalid, unknownReference } from '../../platform/values/errors.ts';
import type { Intake } from '../inbound/intake.ts';
import { composePress } from './buttons.ts';
import { openChat, type Visit } from './chat.ts';
import { toPerson } from './people.ts';
import { readShown, toExternalId, toWebMessage, type NamedMessage } from './present.ts';
import { ANSWERS, findByExternalId, findPlace } from './queries.ts';
import { repeatAnswers, takeAnswers, type GivenAnswers } from './questions.ts';
import type { WebMessage, WriteMessage } from './schemas.ts';

export interface Written {
  message: WebMessage;
  /** False for a repetition, which stored nothing. */
  isNew: boolean;
  attachment: string | null;
}

export async function writeText(kit: Kit, intake: Intake, visit: Visit, body: WriteMessage): Promise<Written> {
  const { client_id, reply_to = null, page } = body;
  const repeated = await repeatWritten(kit, visit, body);
  if (repeated) return repeated;
  const replyTo = reply_to === null ? null : await findAnswered(kit, visit, reply_to);
  const answers = await takeAnswers(kit, visit, body.answers);
  const message = makeInbound(visit, client_id, {
    content: await composeWritten(kit, visit, body),
    replyTo,
    referral: page ? { source_type: 'page', source_url: page.url, ...(page.title && { headline: page.title }) } : null,
  });
  return storeWritten(kit, intake, visit, { clientId: client_id, message, answers });
}

/** The content of the message: a text, or the press of a button of the message that it answers. */
async function composeWritten(
  kit: Kit,
  { site }: Visit,
  { content, button, reply_to }: WriteMessage,
): Promise<MessageContent> {
  if (button === undefined) return { contentType: 'TEXT', content };
  if (!reply_to) throw invalid('reply_to', 'is required with button', 'REQUIRED');
  return composePress(kit.database.read(site.company), reply_to, button);
}

/** A form that the visitor filled in is a message of its own, which stands before the one that brings it. */
function listAnswers(visit: Visit, { lines, name }: GivenAnswers, timestamp: Date): InboundMessage[] {
  if (lines.length === 0) return [];
  const interactive = makeInteractiveReply('form', {
    response: Object.fromEntries(lines.map(({ title, value }) => [title, value])),
  });
  const content = lines.map(({ title, value }) => `${title}: ${[value].flat().join(', ')}`).join('\n');
  const form: MessageContent = { contentType: 'INTERACTIVE', content, interactive };
  return [makeInbound(visit, ANSWERS, { content: form, timestamp, ...(name !== null && { displayName: name }) })];
}

interface Parts {
  content: MessageContent;
  timestamp?: Date;
  replyTo?: string | null;
  referral?: Record<string, unknown> | null;
  displayName?: string;
  attachment?: InboundMessage['attachment'];
}

export function makeInbound({ site, visitor }: Visit, clientId: string, parts: Parts): InboundMessage {
  const { content, timestamp = new Date(), replyTo = null, referral = null, displayName, attachment } = parts;
  return {
    ...content,
    kind: 'message',
    address: site.inbox,
    timestamp,
    externalId: toExternalId(visitor._id, clientId),
    origin: 'live',
    fromBusiness: false,
    system: false,
    person: toPerson(visitor, displayName),
    replyTo,
    referral,
    forwarded: null,
    errors: [],
    historyStatus: null,
    renamed: null,
    ...(attachment && { attachment }),
  };
}

const toWritten = ({ site }: Visit, row: NamedMessage, isNew: boolean): Written => ({
  message: toWebMessage(site, row),
  isNew,
  attachment: row.attachment,
});

/** Returns what an earlier request with this id has stored; null when there was none. */
export async function repeatWritten(
  kit: Kit,
  visit: Visit,
  { client_id, answers }: Pick<WriteMessage, 'client_id' | 'answers'>,
): Promise<Written | null> {
  const known = await findWritten(kit, visit, client_id);
  if (!known) return null;
  await repeatAnswers(kit, visit, known, answers);
  return toWritten(visit, known, false);
}

/** Finds what the visitor has already written with this id. */
async function findWritten(kit: Kit, { site, visitor }: Visit, clientId: string): Promise<NamedMessage | null> {
  const read = kit.database.read(site.company);
  const shown = await findByExternalId(read, site.inbox, toExternalId(visitor._id, clientId));
  const [message = null] = shown ? await readShown(read, [shown]) : [];
  return message;
}

interface ToStore {
  clientId: string;
  message: InboundMessage;
  answers: GivenAnswers | null;
}

export async function storeWritten(
  kit: Kit,
  intake: Intake,
  visit: Visit,
  { clientId, message, answers }: ToStore,
): Promise<Written> {
  kit.storage.admit();
  // Messages of one moment keep their order.
  const elements = answers ? [...listAnswers(visit, answers, message.timestamp), message] : [message];
  const bytes = elements.reduce((sum, element) => sum + Buffer.byteLength(textOf(element) ?? ''), 0);
  await intake.take(kit.channels.get('WEB_V2'), bytes, elements);
  const stored = await findWritten(kit, visit, clientId);
  // The inbox was deleted since its settings were read.
  if (!stored) throw new AppError('NOT_FOUND', 'No such resource');
  await answers?.store(stored);
  return toWritten(visit, stored, true);
}

/** The network's id of the message that is answered, which is in the visitor's own chat. */
async function findAnswered(kit: Kit, visit: Visit, id: string): Promise<string> {
  const opened = await openChat(kit, visit);
  const place = opened && (await findPlace(opened.read, opened.chat, id));
  if (!place?.external_id) throw unknownReference('reply_to');
  return place.external_id;
}
