/** The live streams of visitors: who may have one, and when it ends. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../kit.ts';
import { onClose } from '../../platform/http/hang-up.ts';
import { AppError } from '../../platform/values/errors.ts';
import type { Hub } from '../live/hub.ts';
import type { Live } from '../live/live.ts';
import { createStream, writeEvent } from '../live/stream.ts';
import { openChat, type Visit } from './chat.ts';
import { createFeed, noteNewest, type Feed, type VisitorStream } from './feed.ts';
import { findVisitorContacts } from './people.ts';
import { findNewestConversation } from './queries.ts';
import { readSite } from './sites.ts';

export interface VisitorStreams {
  /** Opens a stream of the visitor. Throws NO_CONVERSATION and RATE_LIMITED. */
  open(visit: Visit, reply: FastifyReply): Promise<Readable>;
  stop(): void;
}

// A visitor whose contact was merged, and one whose chat was closed down, loses the stream within this time.
const RECHECK_MS = 5_000;

export function createVisitorStreams(kit: Kit, live: Live): VisitorStreams {
  const feeds = new Map<string, Feed>();
  let timer: NodeJS.Timeout | null = null;

  function stop(): void {
    if (timer) clearInterval(timer);
    timer = null;
  }

  const recheckAll = (): void => {
    for (const [company, feed] of feeds) void recheck(kit, company, feed.list());
  };

  function enter(company: string, hub: Hub, entry: VisitorStream): () => void {
    const feed = feeds.get(company) ?? createFeed(kit, company, hub);
    feeds.set(company, feed);
    feed.add(entry);
    timer ??= setInterval(recheckAll, RECHECK_MS);
    return () => {
      feed.remove(entry);
      if (feed.list().length === 0) feeds.delete(company);
      if (feeds.size === 0) stop();
    };
  }

  return {
    async open(visit, reply) {
      const opened = await openChat(kit, visit);
      if (!opened) throw new AppError('NO_CONVERSATION');
      const { company } = visit.site;
      const { hub, leave } = await live.join(company);
      const entry: VisitorStream = { visit, contact: opened.chat.contact, newest: null, stream: createStream() };
      const leaveFeed = enter(company, hub, entry);
      onClose(reply, () => {
        entry.stream.end();
        leaveFeed();
        leave();
      });
      // This is read after the stream has begun, so that no change is missed in between.
      const newest = await findNewestConversation(opened.read, opened.chat);
      if (newest) noteNewest(entry, { _id: newest.conversation, createdAt: newest.createdAt });
      entry.stream.send(Buffer.from(writeEvent('ready', {})));
      return entry.stream.readable;
    },
    stop,
  };
}

/** Ends the streams whose visitor has another contact by now, and those of deleted inboxes. Never throws. */
async function recheck(kit: Kit, company: string, entries: VisitorStream[]): Promise<void> {
  try {
    const visitors = entries.map(({ visit }) => visit.visitor);
    const contacts = await findVisitorContacts(kit, company, visitors);
    for (const [index, { visit, contact, stream }] of entries.entries())
      if (contacts[index] !== contact || !(await readSite(kit, visit.site.inbox, `company:${company}`))) stream.end();
  } catch (error) {
    // Failure policy: while the database does not answer the streams go on, and are checked again.
    kit.log.debug({ err: error, company }, 'web chat: streams could not be checked');
  }
}
