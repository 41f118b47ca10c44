/** Finds the conversation of a message: the open conversation of its contact in its inbox, which is opened here when there is none. */
import type { SystemTx } from '../../platform/store/tenant.ts';
import { lockContacts } from '../contacts/ingest-queries.ts';
import {
  findLatestThreads,
  insertThreads,
  lockOpenThreads,
  reopenThreads,
  type NewConversation,
  type Thread,
} from '../conversations/ingest-queries.ts';
import { makeConversation } from '../conversations/open-many.ts';
import { opensConversation, type ArrivedMessage } from './batch.ts';

export interface ThreadQuery {
  arrival: ArrivedMessage;
  contact: string;
}

export interface FoundThreads {
  /** The conversation of each message, in the order in which the messages were given. */
  threads: Thread[];
  /** The ids of conversations that were opened here. */
  opened: Set<string>;
  /** The ids of closed conversations that were reopened here. */
  reopened: Set<string>;
}

const threadKey = (key: { company: string; inbox: string; contact: string }): string =>
  `${key.company} ${key.inbox} ${key.contact}`;
const queryKey = ({ arrival, contact }: ThreadQuery) => ({
  company: arrival.receiver.company,
  inbox: arrival.receiver.inbox,
  contact,
});

export async function findThreads(tx: SystemTx, asked: ThreadQuery[]): Promise<FoundThreads> {
  const found = new Map<string, Thread>();
  await addFoundThreads(found, () => lockOpenThreads(tx, listDistinctKeys(asked, found)));
  const old = asked.filter(({ arrival }) => !opensConversation(arrival));
  const current = asked.filter(({ arrival }) => opensConversation(arrival));
  const { opened, reopened } = await openMissingThreads(tx, current, found);
  // What opens no conversation joins the latest one.
  if (listDistinctKeys(old, found).length > 0) {
    // No index makes closed conversations unique, so this lock makes another process wait that looks for conversations of the same
    // contacts.
    await lockContacts(tx, listDistinctKeys(old, found));
    await addFoundThreads(found, () => findLatestThreads(tx, listDistinctKeys(old, found)));
    // What wants no answer and has come before all messages waits for them in an open one, as it would have behind them; the history is closed.
    const early = old.filter(({ arrival }) => arrival.message.origin !== 'history');
    for (const id of (await openMissingThreads(tx, early, found)).opened) opened.add(id);
    await addFoundThreads(found, () => insertThreads(tx, makeThreads(old, found, 'CLOSED')));
  }
  return { threads: asked.map((item) => requireThread(found, item)), opened, reopened };
}

async function openMissingThreads(
  tx: SystemTx,
  asked: ThreadQuery[],
  found: Map<string, Thread>,
): Promise<Pick<FoundThreads, 'opened' | 'reopened'>> {
  const missing = makeThreads(asked, found, 'OPEN');
  const opened = missing.length === 0 ? [] : await insertThreads(tx, missing);
  for (const thread of opened) found.set(threadKey(thread), thread);
  // The others continue a closed conversation, or another process has opened one first, which is used.
  const others = missing.filter((thread) => !found.has(threadKey(thread)));
  const reopened = others.length === 0 ? [] : await reopenThreads(tx, others);
  for (const thread of reopened) found.set(threadKey(thread), thread);
  if (reopened.length < others.length)
    await addFoundThreads(found, () => lockOpenThreads(tx, listDistinctKeys(asked, found)));
  return { opened: listIds(opened), reopened: listIds(reopened) };
}

const listIds = (threads: Thread[]): Set<string> => new Set(threads.map(({ _id }) => _id));

async function addFoundThreads(found: Map<string, Thread>, look: () => Promise<Thread[]>): Promise<void> {
  for (const thread of await look()) found.set(threadKey(thread), thread);
}

function listDistinctKeys(asked: ThreadQuery[], found: Map<string, Thread>) {
  const keys = new Map(asked.map((item) => [threadKey(queryKey(item)), queryKey(item)]));
  return [...keys].filter(([key]) => !found.has(key)).map(([, value]) => value);
}

function requireThread(found: Map<string, Thread>, item: ThreadQuery): Thread {
  const thread = found.get(threadKey(queryKey(item)));
  // The process that opened the conversation has closed it again meanwhile. The batch is tried again.
  if (!thread) throw new Error('a conversation was closed while it was being opened');
  return thread;
}

function makeThreads(asked: ThreadQuery[], found: Map<string, Thread>, status: 'OPEN' | 'CLOSED'): NewConversation[] {
  const threads = new Map<string, NewConversation>();
  for (const item of asked) {
    const key = threadKey(queryKey(item));
    if (!found.has(key) && !threads.has(key)) threads.set(key, makeThread(item, status));
  }
  return [...threads.values()];
}

function makeThread({ arrival, contact }: ThreadQuery, status: 'OPEN' | 'CLOSED'): NewConversation {
  const { receiver, message } = arrival;
  const byPerson = message.fromBusiness || receiver.disable_inbound_ai;
  const made = makeConversation(receiver.company, contact, receiver);
  return { ...made, status, ...(byPerson ? { handled_by: 'HUMAN' } : {}) };
}
