/** Stores a batch of messages and everything that changes with them, in the caller's transaction. */
import { findFile } from '../../channels/content.ts';
import { emitLast, type EventItem } from '../../platform/store/events.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { findContactsByKeys, touchContacts } from '../contacts/ingest-queries.ts';
import type { FoundPeople } from '../contacts/ingest-people.ts';
import { findConversationsByKeys, touchThreads, type Thread } from '../conversations/ingest-queries.ts';
import { readPressed } from '../csat/buttons.ts';
import { rateSurveys } from '../csat/ingest-queries.ts';
import type { CsatSurvey } from '../csat/schemas.ts';
import { completePlaceholders, insertInbound } from '../messages/ingest-insert-queries.ts';
import { findKnown, type MessageKey } from '../messages/ingest-queries.ts';
import { applyWaiting, takeWaiting } from '../messages/ingest.ts';
import type { SplitContact } from '../contacts/ingest-renames.ts';
import type { Message } from '../messages/schemas.ts';
import { notifyReplies } from '../notifications/ingest-queries.ts';
import { addActivity, latestPerContact, type Activity } from './activity.ts';
import { leaveAgentTurns, leaveForRules } from './agent-turns.ts';
import { leaveAway } from './away-texts.ts';
import { keepBodies } from './bodies.ts';
import {
  findAnswered,
  isFromBusinessApp,
  isFromContact,
  opensWindow,
  type ArrivedMessage,
  type PlacedMessage,
} from './batch.ts';
import { noteCampaignReplies } from './campaign-replies.ts';
import type { EarlyLookUps } from './inboxes.ts';
import { toInboundRows, type ReserveFile, type RowContext } from './rows.ts';
import { findMessagePeople } from './speakers.ts';
import { findThreads, type FoundThreads } from './threads.ts';

const messageKey = ({ receiver, message }: ArrivedMessage): MessageKey => ({
  company: receiver.company,
  inbox: receiver.inbox,
  external_id: message.externalId,
});
const toKeyText = (key: { inbox: string; external_id: string | null }): string => `${key.inbox} ${key.external_id}`;

export interface ConversationKey {
  company: string;
  conversation: string;
}

export interface StoredMessages {
  stored: number;
  /** The number of notices about unknown people, which store nothing. All other messages that are not stored are repetitions. */
  dropped: number;
  /** Pairs of contacts that the network shows to be one person. */
  splits: SplitContact[];
  /** The conversations whose new messages are to be marked as read on the network. */
  read: ConversationKey[];
}

export interface StoreSettings {
  /** Makes the record of a file that the network still has to hand out. */
  reserve: ReserveFile;
  /** How long an agent waits for further messages before it answers. */
  agentWaitSeconds: number;
}

export async function storeMessages(
  tx: SystemTx,
  arrivals: ArrivedMessage[],
  ahead: EarlyLookUps | null,
  { reserve, agentWaitSeconds }: StoreSettings,
): Promise<StoredMessages> {
  const nothing: StoredMessages = { stored: 0, dropped: 0, splits: [], read: [] };
  const distinct = withoutRepetitions(sortByTime(arrivals));
  if (distinct.length === 0) return nothing;
  const known = ahead?.messages ?? (await findKnown(tx, distinct.map(messageKey)));
  const stored = new Set(known.filter((key) => key.stored).map(toKeyText));
  const unstored = distinct.filter((arrival) => !stored.has(toKeyText(messageKey(arrival))));
  const now = new Date().toISOString();
  const repeated = distinct.filter((arrival) => stored.has(toKeyText(messageKey(arrival))));
  await completeStoredPlaceholders(tx, repeated, { now, reserve });
  if (unstored.length === 0) return nothing;
  const { arrivals: fresh, people, splits } = await findMessagePeople(tx, unstored, ahead);
  const dropped = unstored.length - fresh.length;
  if (fresh.length === 0) return { ...nothing, dropped };
  const threads = await findThreads(
    tx,
    fresh.map((arrival, index) => ({ arrival, contact: people.contacts[index] ?? '' })),
  );
  const placed = fresh.map((arrival, index) => placeMessage(arrival, people.contacts[index], threads.threads[index]));
  const inserted = await insertInbound(tx, ...toInboundRows(placed, { now, reserve }));
  keepBodies(tx, placed, inserted);
  const messages = listInserted(placed, inserted);
  refuseEmptyConversations(threads, messages);
  updateConversationsAndContacts(tx, { placed, threads, messages, agentWaitSeconds });
  noteCampaignReplies(tx, placed, threads.threads, new Set(messages.map(({ external_id }) => external_id)));
  const rated = await takeRatings(tx, placed, messages);
  await emitEvents(tx, { placed, threads, people, messages, rated });
  await applyWaiting(
    tx,
    await takeWaiting(
      tx,
      known.filter((key) => !key.stored),
    ),
  );
  return { stored: messages.length, dropped, splits, read: listReadOnArrival(placed, messages) };
}

/** Lists the conversations in which contacts have written to an inbox that marks messages as read when they arrive, each once. */
function listReadOnArrival(placed: PlacedMessage[], messages: Message[]): ConversationKey[] {
  const stored = new Set(messages.map(toKeyText));
  const read = placed.filter(
    (arrival) =>
      arrival.receiver.reads_on_arrival &&
      !arrival.receiver.suspended &&
      arrival.channel.can.markRead &&
      isFromContact(arrival) &&
      stored.has(toKeyText(messageKey(arrival))),
  );
  const keys = read.map(({ receiver: { company }, conversation }) => ({ company, conversation }));
  return [...new Map(keys.map((key) => [key.conversation, key])).values()];
}

/** Sorts messages by the clock of the network, because a network may send a batch in any order. */
function sortByTime(arrivals: ArrivedMessage[]): ArrivedMessage[] {
  return arrivals.toSorted((a, b) => a.message.timestamp.getTime() - b.message.timestamp.getTime());
}

/** Of repeated messages the last copy is kept; for a message of the history, the copy with a file is kept rather than its placeholder. */
function withoutRepetitions(arrivals: ArrivedMessage[]): ArrivedMessage[] {
  const distinct = new Map<string, ArrivedMessage>();
  for (const arrival of arrivals) {
    const key = toKeyText(messageKey(arrival));
    const earlier = distinct.get(key);
    if (!earlier || findFile(arrival.message) || !findFile(earlier.message)) distinct.set(key, arrival);
  }
  return [...distinct.values()];
}

function placeMessage(arrival: ArrivedMessage, contact: string | undefined, thread: Thread | undefined): PlacedMessage {
  if (!contact || !thread) throw new Error('an arrival found no contact or no conversation');
  return { ...arrival, contact, conversation: thread._id };
}

/**
 * Returns the stored messages in the order in which they were sent, each with the message of this batch that it answers, because the insert
 * could not see that message.
 */
function listInserted(placed: PlacedMessage[], inserted: Message[]): Message[] {
  const stored = new Map(inserted.map((message) => [toKeyText(message), message]));
  return placed.flatMap((arrival) => {
    const { inbox, external_id } = messageKey(arrival);
    const message = stored.get(toKeyText({ inbox, external_id }));
    const asked = findAnswered(arrival.message);
    const target = asked === null ? undefined : stored.get(toKeyText({ inbox, external_id: asked }));
    if (!message || message.reply_to !== null || !target) return message ? [message] : [];
    const reaction = message.reaction && { ...message.reaction, message: target._id };
    return [{ ...message, reply_to: target._id, reaction }];
  });
}

/** Adds files to stored placeholders of the history: the network sends the file of an old message after its placeholder. */
async function completeStoredPlaceholders(tx: SystemTx, stored: ArrivedMessage[], context: RowContext): Promise<void> {
  const files = stored.filter(({ message }) => message.origin === 'history' && findFile(message));
  if (files.length === 0) return;
  const rows = toInboundRows(
    files.map((arrival) => ({ ...arrival, contact: '', conversation: '' })),
    context,
  );
  await completePlaceholders(tx, ...rows);
}

/** Throws when a conversation was opened or reopened for messages that another process has stored meanwhile, in a conversation of its own. */
function refuseEmptyConversations(threads: FoundThreads, messages: Message[]): void {
  const filled = new Set(messages.map((message) => message.conversation));
  for (const id of [...threads.opened, ...threads.reopened])
    if (!filled.has(id)) throw new Error('a conversation was opened for a repeated message');
}

/** Updates the conversations and contacts of the messages that were really inserted. The transaction does not wait for each statement. */
function updateConversationsAndContacts(
  tx: SystemTx,
  {
    placed,
    threads,
    messages,
    agentWaitSeconds,
  }: Omit<StoredBatch, 'people'> & Pick<StoreSettings, 'agentWaitSeconds'>,
): void {
  const inserted = new Map(
    messages.map((message) => [toKeyText({ inbox: message.inbox, external_id: message.external_id }), message]),
  );
  const activities = new Map<string, Activity>();
  for (const [index, arrival] of placed.entries()) {
    const message = inserted.get(toKeyText(messageKey(arrival)));
    const thread = threads.threads[index];
    if (message && thread)
      activities.set(thread._id, addActivity(activities.get(thread._id), arrival, message, thread));
  }
  const all = [...activities.values()].toSorted((a, b) => (a.conversation < b.conversation ? -1 : 1));
  tx.awaitAtCommit(touchThreads(tx, all));
  notifyFollowers(tx, all, threads.threads);
  tx.awaitAtCommit(touchContacts(tx, latestPerContact(all)));
  const findInserted = (arrival: PlacedMessage): Message | undefined => inserted.get(toKeyText(messageKey(arrival)));
  const stored = { placed, threads: threads.threads, findInserted };
  leaveForRules(tx, stored);
  leaveAgentTurns(tx, { ...stored, agentWaitSeconds });
  leaveAway(tx, stored);
}

/** Notifies the owners and followers of what contacts have written. Without them there is no statement. */
function notifyFollowers(tx: SystemTx, activities: Activity[], threads: readonly Thread[]): void {
  const followed = new Set(threads.flatMap(({ _id, is_followed }) => (is_followed ? [_id] : [])));
  const replies = activities
    .filter(({ conversation, unread }) => unread > 0 && followed.has(conversation))
    .map(({ company, conversation, last_message, unread }) => ({
      company,
      conversation,
      message: last_message,
      count: unread,
    }));
  if (replies.length > 0) tx.awaitAtCommit(notifyReplies(tx, replies));
}

/** Stores what the contacts have answered to satisfaction surveys. Without an answer there is no statement. */
async function takeRatings(tx: SystemTx, placed: PlacedMessage[], messages: Message[]): Promise<CsatSurvey[]> {
  const stored = new Set(messages.map(toKeyText));
  const ratings = placed.flatMap((arrival) => {
    const { receiver, contact, message } = arrival;
    const pressed = opensWindow(arrival) && stored.has(toKeyText(messageKey(arrival))) && readPressed(message);
    return pressed ? [{ ...pressed, company: receiver.company, contact, comment: null }] : [];
  });
  return ratings.length === 0 ? [] : rateSurveys(tx, ratings);
}

interface StoredBatch {
  placed: PlacedMessage[];
  threads: FoundThreads;
  people: FoundPeople;
  messages: Message[];
}

/** Emits the events in the order in which their changes happened. Messages of the history emit none. */
async function emitEvents(
  tx: SystemTx,
  { placed, threads, people, messages, rated }: StoredBatch & { rated: CsatSurvey[] },
): Promise<void> {
  const current = placed.filter(({ message }) => message.origin !== 'history');
  const contactKeys = new Map(
    current.map(({ receiver, contact }) => [contact, { company: receiver.company, _id: contact }]),
  );
  const changed = [...contactKeys.values()].filter(({ _id }) => people.created.has(_id) || people.changed.has(_id));
  const stored = new Set(messages.map(toKeyText));
  const woken = new Set(
    placed
      .filter((arrival, index) => isFromContact(arrival) && threads.threads[index]?.status === 'SNOOZED')
      .filter((arrival) => stored.has(toKeyText(messageKey(arrival))))
      .map((arrival) => arrival.conversation),
  );
  const conversationKeys = new Map(
    current.map(({ receiver, conversation }) => [conversation, { company: receiver.company, _id: conversation }]),
  );
  // A person who answers in the business app takes over from the agent.
  const takenOver = new Set(
    placed
      .filter((arrival, index) => isFromBusinessApp(arrival) && threads.threads[index]?.handled_by === 'AI')
      .filter((arrival) => stored.has(toKeyText(messageKey(arrival))))
      .map((arrival) => arrival.conversation),
  );
  const moved = [...conversationKeys.values()].filter(
    ({ _id }) => threads.opened.has(_id) || threads.reopened.has(_id) || woken.has(_id) || takenOver.has(_id),
  );
  const contacts = changed.length > 0 ? await findContactsByKeys(tx, changed) : [];
  const conversations = moved.length > 0 ? await findConversationsByKeys(tx, moved) : [];
  const announced = new Set(
    current.filter(({ message }) => !message.system).map((arrival) => toKeyText(messageKey(arrival))),
  );
  const items: EventItem[] = [
    ...contacts.map((data) => ({
      event: people.created.has(data._id) ? ('CONTACT_CREATED' as const) : ('CONTACT_UPDATED' as const),
      data,
    })),
    ...conversations.map((data) => ({
      event: threads.opened.has(data._id) ? ('CONVERSATION_CREATED' as const) : ('CONVERSATION_UPDATED' as const),
      data,
    })),
    ...messages
      .filter((message) => announced.has(toKeyText(message)))
      .map((data) => ({ event: 'MESSAGE_RECEIVED' as const, data })),
    ...rated.map((data) => ({ event: 'CSAT_RATED' as const, data })),
  ];
  await emitLast(tx, items);
}
