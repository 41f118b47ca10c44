/** Stores a batch of messages with everything that moves with them, in the caller's transaction. */
import { emit, type EventItem } from '../../platform/events.ts';
import type { FlushTx } from '../../platform/tenant.ts';
import { findContactsOf, touchContacts } from '../contacts/ingest-queries.ts';
import { nameOf, type FoundPeople } from '../contacts/ingest-people.ts';
import { isNamedIn } from '../inboxes/test-people.ts';
import {
  findConversationsOf,
  touchThreads,
  type Thread,
  type ThreadActivity,
} from '../conversations/ingest-queries.ts';
import { completePlaceholders, findKnown, insertInbound, type MessageKey } from '../messages/ingest-queries.ts';
import { applyParked } from '../messages/ingest.ts';
import type { Split } from '../contacts/ingest-renames.ts';
import type { Message } from '../messages/schemas.ts';
import { isFromContact, saidAt, type Arrival, type Placed } from './batch.ts';
import { leaveTurns } from './queries.ts';
import type { Ahead } from './inboxes.ts';
import { rowOf } from './rows.ts';
import { findSpeakers } from './speakers.ts';
import { findThreads, type FoundThreads } from './threads.ts';

const keyOf = ({ receiver, message }: Arrival): MessageKey => ({
  company: receiver.company,
  inbox: receiver.inbox,
  external_id: message.externalId,
});
const textOf = (key: { inbox: string; external_id: string | null }): string => `${key.inbox} ${key.external_id}`;

export interface StoredMessages {
  stored: number;
  /** Notices about people whom nobody knows: they make nothing. The rest were repetitions. */
  dropped: number;
  /** Contacts that the network shows to be one person. */
  splits: Split[];
}

export async function storeMessages(tx: FlushTx, arrivals: Arrival[], ahead: Ahead | null): Promise<StoredMessages> {
  const nothing: StoredMessages = { stored: 0, dropped: 0, splits: [] };
  const distinct = withoutRepetitions(inOrder(arrivals));
  if (distinct.length === 0) return nothing;
  const known = ahead?.messages ?? (await findKnown(tx, distinct.map(keyOf)));
  const stored = new Set(known.filter((key) => key.stored).map(textOf));
  const unstored = distinct.filter((arrival) => !stored.has(textOf(keyOf(arrival))));
  const now = new Date().toISOString();
  await complete(
    tx,
    distinct.filter((arrival) => stored.has(textOf(keyOf(arrival)))),
    now,
  );
  if (unstored.length === 0) return nothing;
  const { arrivals: fresh, people, splits } = await findSpeakers(tx, unstored, ahead);
  const dropped = unstored.length - fresh.length;
  if (fresh.length === 0) return { ...nothing, dropped };
  const threads = await findThreads(
    tx,
    fresh.map((arrival, index) => ({ arrival, contact: people.contacts[index] ?? '' })),
  );
  const placed = fresh.map((arrival, index) => place(arrival, people.contacts[index], threads.threads[index]));
  const inserted = await insertInbound(
    tx,
    placed.map((arrival) => rowOf(arrival, now)),
  );
  const messages = inPlaces(placed, inserted);
  refuseEmptyThreads(threads, messages);
  move(tx, placed, threads, messages);
  await tell(tx, { placed, threads, people, messages });
  await applyParked(
    tx,
    known.filter((key) => !key.stored),
  );
  return { stored: messages.length, dropped, splits };
}

/** By the network's clock; a network's batch may be in any order. */
function inOrder(arrivals: Arrival[]): Arrival[] {
  return arrivals.toSorted((a, b) => a.message.timestamp.getTime() - b.message.timestamp.getTime());
}

/** Of one message repeated, the last copy stays; an old one's file stays before its placeholder. */
function withoutRepetitions(arrivals: Arrival[]): Arrival[] {
  const distinct = new Map<string, Arrival>();
  for (const arrival of arrivals) {
    const key = textOf(keyOf(arrival));
    if (arrival.message.media || !distinct.get(key)?.message.media) distinct.set(key, arrival);
  }
  return [...distinct.values()];
}

function place(arrival: Arrival, contact: string | undefined, thread: Thread | undefined): Placed {
  if (!contact || !thread) throw new Error('an arrival found no contact or no conversation');
  return { ...arrival, contact, conversation: thread._id };
}

/** In the order in which they were said, each with the target that came beside it: the insert itself can not see that one. */
function inPlaces(placed: Placed[], inserted: Message[]): Message[] {
  const stored = new Map(inserted.map((message) => [textOf(message), message]));
  return placed.flatMap((arrival) => {
    const { inbox, external_id } = keyOf(arrival);
    const message = stored.get(textOf({ inbox, external_id }));
    const asked = arrival.message.reaction?.externalId ?? arrival.message.replyTo;
    const target = asked === null ? undefined : stored.get(textOf({ inbox, external_id: asked }));
    if (!message || message.reply_to !== null || !target) return message ? [message] : [];
    const reaction = message.reaction && { ...message.reaction, message: target._id };
    return [{ ...message, reply_to: target._id, reaction }];
  });
}

/** The file of an old message comes later than its placeholder. */
async function complete(tx: FlushTx, stored: Arrival[], now: string): Promise<void> {
  const files = stored.filter(({ message }) => message.origin === 'history' && message.media);
  if (files.length === 0) return;
  await completePlaceholders(
    tx,
    files.map((arrival) => rowOf({ ...arrival, contact: '', conversation: '' }, now)),
  );
}

/** Another process stored these messages between our look and our write; its conversation counts, so this one must not stay. */
function refuseEmptyThreads(threads: FoundThreads, messages: Message[]): void {
  const filled = new Set(messages.map((message) => message.conversation));
  for (const id of threads.opened)
    if (!filled.has(id)) throw new Error('a conversation was opened for a repeated message');
}

/** Conversations and contacts follow the messages that really came in. Nobody waits for it. */
function move(tx: FlushTx, placed: Placed[], threads: FoundThreads, messages: Message[]): void {
  const inserted = new Map(
    messages.map((message) => [textOf({ inbox: message.inbox, external_id: message.external_id }), message]),
  );
  const activities = new Map<string, ThreadActivity & { contact: string }>();
  for (const [index, arrival] of placed.entries()) {
    const message = inserted.get(textOf(keyOf(arrival)));
    const thread = threads.threads[index];
    if (message && thread) activities.set(thread._id, joined(activities.get(thread._id), arrival, message, thread));
  }
  const all = [...activities.values()].toSorted((a, b) => (a.conversation < b.conversation ? -1 : 1));
  tx.trails(touchThreads(tx, all));
  const contacts = all.map((a) => ({
    company: a.company,
    contact: a.contact,
    message_at: a.last_message_at,
    inbound_at: a.inbound_at,
  }));
  tx.trails(touchContacts(tx, latestPerContact(contacts)));
  const turns = placed.filter(
    (arrival, index) => wantsAgent(arrival, threads.threads[index]) && inserted.has(textOf(keyOf(arrival))),
  );
  const pending = new Map(
    turns.map((turn) => [
      turn.conversation,
      {
        company: turn.receiver.company,
        conversation: turn.conversation,
        message: inserted.get(textOf(keyOf(turn)))?._id ?? '',
      },
    ]),
  );
  if (pending.size > 0) tx.trails(leaveTurns(tx, [...pending.values()]));
}

function joined(
  before: (ThreadActivity & { contact: string }) | undefined,
  arrival: Placed,
  message: Message,
  thread: Thread,
): ThreadActivity & { contact: string } {
  const fromContact = isFromContact(arrival);
  const word = fromContact ? wordOf(arrival) : null;
  const answered = arrival.message.origin === 'echo';
  const unread = answered ? 0 : (before?.unread ?? 0);
  const newest = before && before.last_message_at > message.createdAt ? before : null;
  return {
    company: thread.company,
    contact: arrival.contact,
    conversation: thread._id,
    last_message: newest?.last_message ?? message._id,
    last_message_at: newest?.last_message_at ?? message.createdAt,
    ...(before?.inbound_at && (!word || before.inbound_at > word.inbound_at)
      ? { inbound_at: before.inbound_at, heard_from: before.heard_from }
      : (word ?? { inbound_at: null, heard_from: null })),
    windowed: arrival.channel.can.window24h,
    unread: fromContact ? unread + 1 : unread,
    answered: answered || (before?.answered ?? false),
    woken: (before?.woken ?? false) || (fromContact && thread.status === 'SNOOZED'),
  };
}

const wordOf = ({ receiver, message }: Placed) => ({
  inbound_at: saidAt(message),
  heard_from: nameOf({ company: receiver.company, person: message.person }),
});

interface Activity {
  company: string;
  contact: string;
  message_at: string;
  inbound_at: string | null;
}

/** A contact may write to several inboxes at once; an UPDATE takes one row per contact. */
function latestPerContact(activities: Activity[]): Activity[] {
  const latest = new Map<string, Activity>();
  for (const activity of activities) {
    const other = latest.get(activity.contact);
    const inbound = [other?.inbound_at, activity.inbound_at].filter((at) => at !== null && at !== undefined).toSorted();
    const message_at = other && other.message_at > activity.message_at ? other.message_at : activity.message_at;
    latest.set(activity.contact, { ...activity, message_at, inbound_at: inbound.at(-1) ?? null });
  }
  return [...latest.values()].toSorted((a, b) => (a.contact < b.contact ? -1 : 1));
}

/** An agent answers what a contact says; reactions ask for nothing. */
function wantsAgent(arrival: Placed, thread: Thread | undefined): boolean {
  const { receiver, message } = arrival;
  if (receiver.suspended) return false;
  if (!thread?.agent || thread.handled_by !== 'AI' || !isFromContact(arrival) || message.contentType === 'REACTION')
    return false;
  if (message.contentType === 'UNSUPPORTED' && !receiver.process_unsupported_messages) return false;
  return !receiver.is_test || isNamedIn(receiver.test_numbers, message.person);
}

interface Stored {
  placed: Placed[];
  threads: FoundThreads;
  people: FoundPeople;
  messages: Message[];
}

/** Old messages tell nothing; everything else is told in the order in which it became true. */
async function tell(tx: FlushTx, { placed, threads, people, messages }: Stored): Promise<void> {
  const current = placed.filter(({ message }) => message.origin !== 'history');
  const contactKeys = new Map(
    current.map(({ receiver, contact }) => [contact, { company: receiver.company, _id: contact }]),
  );
  const changed = [...contactKeys.values()].filter(({ _id }) => people.created.has(_id) || people.changed.has(_id));
  const stored = new Set(messages.map(textOf));
  const woken = new Set(
    placed
      .filter((arrival, index) => isFromContact(arrival) && threads.threads[index]?.status === 'SNOOZED')
      .filter((arrival) => stored.has(textOf(keyOf(arrival))))
      .map((arrival) => arrival.conversation),
  );
  const conversationKeys = new Map(
    current.map(({ receiver, conversation }) => [conversation, { company: receiver.company, _id: conversation }]),
  );
  const moved = [...conversationKeys.values()].filter(({ _id }) => threads.opened.has(_id) || woken.has(_id));
  const contacts = changed.length > 0 ? await findContactsOf(tx, changed) : [];
  const conversations = moved.length > 0 ? await findConversationsOf(tx, moved) : [];
  const told = new Set(current.filter(({ message }) => !message.system).map((arrival) => textOf(keyOf(arrival))));
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
      .filter((message) => told.has(textOf(message)))
      .map((data) => ({ event: 'MESSAGE_RECEIVED' as const, data })),
  ];
  tx.trails(emit(tx, items));
}
