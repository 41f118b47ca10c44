/**
 * What changes in the chats of one company, for the visitors who follow theirs. One follower of the company's hub passes on what concerns a
 * chat that someone follows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kit } from '../../kit.ts';
import { createPump } from '../../platform/work/pump.ts';
import type { Conversation } from '../conversations/schemas.ts';
import type { Hub } from '../live/hub.ts';
import type { Presence } from '../live/schemas.ts';
import { writeEvent, type Stream } from '../live/stream.ts';
import type { Follower } from '../live/viewer.ts';
import type { Message } from '../messages/schemas.ts';
import type { Visit } from './chat.ts';
import { nameAuthor, toWebMessage, type NamedMessage } from './present.ts';
import { findVisible } from './queries.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export interface VisitorStream {
  visit: Visit;
  contact: string;
  /** The newest conversation of the visitor, in which someone may type. */
  newest: Pick<Conversation, '_id' | 'createdAt'> | null;
  stream: Stream;
}

export interface Feed {
  add(entry: VisitorStream): void;
  remove(entry: VisitorStream): void;
  list(): VisitorStream[];
}

// The pages of a browser share a stream, so a visitor needs as many as they have browsers.
const STREAMS_OF_VISITOR = declareLimit(5, {
  topic: 'Web chat',
  what: 'Streams per visitor',
  beyond: 'the oldest ends',
});
const RETRY_MS = 500;
const KEEP_ALIVE = Buffer.from(': \n\n');
const RESET = Buffer.from(writeEvent('reset', {}));
const NOTHING = Buffer.alloc(0);

type ByChat = Map<string, Set<VisitorStream>>;

const toKey = ({ inbox, contact }: { inbox: string; contact: string }): string => `${inbox} ${contact}`;
const keyOf = ({ visit, contact }: VisitorStream): string => toKey({ inbox: visit.site.inbox, contact });

function send(entries: Iterable<VisitorStream>, text: Buffer): void {
  for (const { stream } of entries) stream.send(text);
}

export function createFeed(kit: Kit, company: string, hub: Hub): Feed {
  const streams: ByChat = new Map();
  const list = (): VisitorStream[] => [...streams.values()].flatMap((set) => [...set]);
  const messages = createMessageSender(kit, company, streams);
  const follower: Follower = {
    key: () => 'visitors',
    select: (events) => {
      for (const event of events) {
        if (event.name === 'message') messages.note(event.data as Message);
        else if (event.name === 'conversation') sendConversation(streams, event.data as Conversation);
        else if (event.name === 'presence') sendTyping(list(), event.data as Presence);
      }
      return NOTHING;
    },
    push: () => send(list(), KEEP_ALIVE),
    reset: () => send(list(), RESET),
    end: () => {
      for (const { stream } of list()) stream.end();
    },
  };
  return {
    add: (entry) => {
      const set = streams.get(keyOf(entry)) ?? new Set();
      streams.set(keyOf(entry), set.add(entry));
      hub.viewers.add(follower);
      for (const old of [...set].slice(0, -STREAMS_OF_VISITOR)) old.stream.end();
    },
    remove: (entry) => {
      const set = streams.get(keyOf(entry));
      set?.delete(entry);
      if (set?.size === 0) streams.delete(keyOf(entry));
      if (streams.size === 0) hub.viewers.delete(follower);
    },
    list,
  };
}

/**
 * Sends changed messages to the streams of their chats. The hub has read them already; one statement finds out for all that have changed
 * meanwhile which ones their visitors may see, and who wrote them.
 */
function createMessageSender(kit: Kit, company: string, streams: ByChat) {
  let changed = new Map<string, Message>();
  const sends = createPump((running) => running === 0 && changed.size > 0, sendChanged);

  async function sendChanged(): Promise<void> {
    const messages = changed;
    changed = new Map();
    try {
      const shown = await findVisible(kit.database.read(company), [...messages.keys()]);
      const authors = new Map(shown.map((each) => [each._id, each]));
      for (const message of messages.values()) nameAuthor(message, authors).forEach(sendMessage);
    } catch (error) {
      // Failure policy: the messages are sent soon; those that have changed again meanwhile stay as they are now.
      kit.log.warn({ err: error, company }, 'web chat: changed messages could not be sent');
      changed = new Map([...messages, ...changed]);
      await sleep(RETRY_MS);
    }
  }

  function sendMessage(message: NamedMessage): void {
    for (const { visit, stream } of streams.get(toKey(message)) ?? [])
      stream.send(Buffer.from(writeEvent('message', toWebMessage(visit.site, message))));
  }

  return {
    note: (message: Message): void => {
      if (!streams.has(toKey(message))) return;
      changed.set(message._id, message);
      sends.wake();
    },
  };
}

/** Notes which conversation of the visitor is the newest. Returns false for an older one, which is over for the visitor. */
export function noteNewest(entry: VisitorStream, { _id, createdAt }: Pick<Conversation, '_id' | 'createdAt'>): boolean {
  const { newest } = entry;
  if (newest && (createdAt < newest.createdAt || (createdAt === newest.createdAt && _id < newest._id))) return false;
  entry.newest = { _id, createdAt };
  return true;
}

function sendConversation(streams: ByChat, conversation: Conversation): void {
  const entries = [...(streams.get(toKey(conversation)) ?? [])].filter((entry) => noteNewest(entry, conversation));
  const data = { is_open: conversation.status !== 'CLOSED', unseen_count: conversation.unread_count };
  send(entries, Buffer.from(writeEvent('conversation', data)));
}

/** Visitors learn that someone types, but not who: it may be a program. */
function sendTyping(all: VisitorStream[], { conversation, by, state }: Presence): void {
  const entries = all.filter((entry) => entry.newest?._id === conversation && entry.contact !== by._id);
  send(entries, Buffer.from(writeEvent('typing', { is_typing: state === 'TYPING' })));
}
