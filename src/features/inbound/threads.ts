/** Which conversation a message belongs to: the open one of its contact in its inbox, opened here when there is none. */
import { newId } from '../../platform/ids.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { lockContacts } from '../contacts/ingest-queries.ts';
import {
  findLatestThreads,
  insertThreads,
  lockOpenThreads,
  type NewConversation,
  type Thread,
} from '../conversations/ingest-queries.ts';
import type { Arrival } from './batch.ts';

export interface ThreadAsked {
  arrival: Arrival;
  contact: string;
}

export interface FoundThreads {
  /** In the order asked. */
  threads: Thread[];
  /** Conversations that were opened here for a live message or an echo. */
  opened: Set<string>;
}

const keyOf = (key: { company: string; inbox: string; contact: string }): string =>
  `${key.company} ${key.inbox} ${key.contact}`;
const askedKey = ({ arrival, contact }: ThreadAsked) => ({
  company: arrival.receiver.company,
  inbox: arrival.receiver.inbox,
  contact,
});

export async function findThreads(tx: SystemTx, asked: ThreadAsked[]): Promise<FoundThreads> {
  const found = new Map<string, Thread>();
  await remember(found, () => lockOpenThreads(tx, distinct(asked, found)));
  const old = asked.filter(({ arrival }) => arrival.message.origin === 'history');
  const current = asked.filter(({ arrival }) => arrival.message.origin !== 'history');
  const opened = await openMissing(tx, current, found);
  // Old messages open nothing: they join the latest conversation, or a closed one made for them.
  if (distinct(old, found).length > 0) {
    // No index keeps closed conversations apart: another process that looks for these contacts' ones waits here.
    await lockContacts(tx, distinct(old, found));
    await remember(found, () => findLatestThreads(tx, distinct(old, found)));
    await remember(found, () => insertThreads(tx, newThreads(old, found, 'CLOSED')));
  }
  return { threads: asked.map((item) => threadOf(found, item)), opened };
}

async function openMissing(tx: SystemTx, asked: ThreadAsked[], found: Map<string, Thread>): Promise<Set<string>> {
  const missing = newThreads(asked, found, 'OPEN');
  if (missing.length === 0) return new Set();
  const opened = await insertThreads(tx, missing);
  for (const thread of opened) found.set(keyOf(thread), thread);
  // Whoever lost the race finds the winner's conversation.
  if (opened.length < missing.length) await remember(found, () => lockOpenThreads(tx, distinct(asked, found)));
  return new Set(opened.map((thread) => thread._id));
}

async function remember(found: Map<string, Thread>, look: () => Promise<Thread[]>): Promise<void> {
  for (const thread of await look()) found.set(keyOf(thread), thread);
}

function distinct(asked: ThreadAsked[], found: Map<string, Thread>) {
  const keys = new Map(asked.map((item) => [keyOf(askedKey(item)), askedKey(item)]));
  return [...keys].filter(([key]) => !found.has(key)).map(([, value]) => value);
}

function threadOf(found: Map<string, Thread>, item: ThreadAsked): Thread {
  const thread = found.get(keyOf(askedKey(item)));
  // The winner of a race closed it again before we looked: the batch is tried once more.
  if (!thread) throw new Error('a conversation was closed while it was being opened');
  return thread;
}

function newThreads(asked: ThreadAsked[], found: Map<string, Thread>, status: 'OPEN' | 'CLOSED'): NewConversation[] {
  const threads = new Map<string, NewConversation>();
  for (const item of asked) {
    const key = keyOf(askedKey(item));
    if (!found.has(key) && !threads.has(key)) threads.set(key, newThread(item, status));
  }
  return [...threads.values()];
}

function newThread(item: ThreadAsked, status: 'OPEN' | 'CLOSED'): NewConversation {
  const { receiver, message } = item.arrival;
  const byPerson = message.fromBusiness || receiver.disable_inbound_ai;
  return {
    ...askedKey(item),
    _id: newId(),
    channel: receiver.channel,
    status,
    handled_by: byPerson ? 'HUMAN' : receiver.default_agent ? 'AI' : 'NONE',
    agent: receiver.default_agent,
    owner: receiver.default_owner,
    is_test: receiver.is_test,
  };
}
