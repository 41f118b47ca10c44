/** What a batch of messages changes in conversations and contacts. */
import type { ContactActivity } from '../contacts/ingest-queries.ts';
import type { Thread, ThreadActivity } from '../conversations/ingest-queries.ts';
import type { Message } from '../messages/schemas.ts';
import {
  isFromBusinessApp,
  isFromContact,
  messageTime,
  opensWindow,
  wantsNoAnswer,
  type PlacedMessage,
} from './batch.ts';

export type Activity = ThreadActivity & { contact: string };

/** Adds a message to what the batch has changed in its conversation before. */
export function addActivity(
  before: Activity | undefined,
  arrival: PlacedMessage,
  message: Message,
  thread: Thread,
): Activity {
  const fromContact = isFromContact(arrival);
  const at = messageTime(arrival.message);
  const answered = isFromBusinessApp(arrival);
  const unread = answered ? 0 : (before?.unread ?? 0);
  const waitingSince = answered ? null : (before?.waiting_since ?? null);
  const asks = fromContact && !thread.is_blocked;
  const isHeard = fromContact && (before?.inbound_at ?? '') <= at;
  return {
    company: thread.company,
    contact: arrival.contact,
    conversation: thread._id,
    ...chooseLast(before, wantsNoAnswer(arrival) ? null : message),
    inbound_at: isHeard ? at : (before?.inbound_at ?? null),
    heard_from: isHeard ? (arrival.message.person.names[0]?.value ?? null) : (before?.heard_from ?? null),
    window_at: opensWindow(arrival) ? findLatest(before?.window_at, at) : (before?.window_at ?? null),
    windowed: arrival.channel.can.window24h,
    unread: asks ? unread + 1 : unread,
    waiting_since: asks ? (waitingSince ?? at) : waitingSince,
    answered: answered || (before?.answered ?? false),
    woken: (before?.woken ?? false) || (asks && thread.status === 'SNOOZED'),
  };
}

type LastMessage = Pick<Activity, 'last_message' | 'last_message_at'>;

function chooseLast(before: Activity | undefined, message: Message | null): LastMessage {
  const isNewer = message !== null && (before?.last_message_at ?? '') <= message.createdAt;
  if (isNewer) return { last_message: message._id, last_message_at: message.createdAt };
  return { last_message: before?.last_message ?? null, last_message_at: before?.last_message_at ?? null };
}

/** Returns the later of two times; null when there is none. */
const findLatest = (...times: (string | null | undefined)[]): string | null =>
  times
    .filter((at) => at !== null && at !== undefined)
    .toSorted()
    .at(-1) ?? null;

/** Merges the activities of each contact, who may write to several inboxes at once, because an UPDATE can change a contact only once. */
export function latestPerContact(activities: Activity[]): ContactActivity[] {
  const latest = new Map<string, ContactActivity>();
  for (const { company, contact, last_message_at, inbound_at } of activities) {
    const other = latest.get(contact);
    latest.set(contact, {
      company,
      contact,
      message_at: findLatest(other?.message_at, last_message_at),
      inbound_at: findLatest(other?.inbound_at, inbound_at),
    });
  }
  return [...latest.values()].toSorted((a, b) => (a.contact < b.contact ? -1 : 1));
}
