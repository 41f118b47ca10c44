/** One client of a hub: its stream, and what its caller may read. */
import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '../../platform/http/auth.ts';
import { allows, type Scope } from '../../platform/values/scopes.ts';
import { SCOPES, visibleEvents, type LiveEvent } from './records.ts';
import { createStream, writeEvent, type Stream } from './stream.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export interface WrittenEvent extends LiveEvent {
  text: string;
}

export const writeEvents = (events: LiveEvent[]): WrittenEvent[] =>
  events.map((event) => ({ ...event, text: writeEvent(event.name, event.data) }));

/** Who receives the events of a hub. */
export interface Follower {
  /** Viewers that may read the same of these events have an equal key, and receive the same text. */
  key(events: WrittenEvent[]): string;
  /** Joins the events that the viewer may read. */
  select(events: WrittenEvent[]): Buffer;
  /** Sends a text of the hub, or keeps it until the viewer has caught up. */
  push(text: Buffer): void;
  /** Tells the client to read its lists again. */
  reset(): void;
  end(): void;
}

/** What a viewer may read. */
export interface Rights {
  scopes: readonly string[];
  /** The inboxes of which the viewer sees records; null for all. */
  inboxes: readonly string[] | null;
}

/** The rights of a caller. */
export const readRights = (principal: Principal): Rights => ({
  scopes: principal.scopes,
  inboxes: principal.type === 'user' ? principal.inboxes : null,
});

export interface Viewer extends Follower {
  stream: Stream;
  /** Changes what the viewer may read. */
  allow(rights: Rights): void;
  /** Sends what was kept, and then everything at once. `cursor` is where the client would go on from here. */
  begin(cursor: () => string): void;
}

// A viewer for whom more is kept while it catches up is too slow, and is disconnected.
const MOST_KEPT = declareLimit(1_000, {
  topic: 'Live',
  what: 'Stream: events kept for a client that is catching up',
  beyond: 'disconnected',
});

/** `user` is the user who looks; null for a key. */
export function createViewer(rights: Rights, user: string | null): Viewer {
  const stream = createStream();
  let visible = findVisible(rights.scopes);
  let inboxes = rights.inboxes && new Set(rights.inboxes);
  let kept: Buffer[] | null = [];

  const reset = (): void => stream.send(Buffer.from(writeEvent('reset', { events: visibleEvents(visible) })));

  return {
    stream,
    key: (events) =>
      [...visible, ...(events.some((event) => event.user === user) ? [user] : []), ...(inboxes ?? ['*'])].join(),
    select: (events) =>
      Buffer.from(
        events
          .filter(({ scope, user: only = user }) => visible.includes(scope) && only === user)
          .filter(({ inbox }) => inbox === undefined || !inboxes || inboxes.has(inbox))
          .map(({ text }) => text)
          .join(''),
      ),
    push: (text) => {
      if (!kept) stream.send(text);
      else if (kept.push(text) > MOST_KEPT) stream.end();
    },
    allow: (granted) => {
      const before = { visible, inboxes };
      visible = findVisible(granted.scopes);
      inboxes = granted.inboxes && new Set(granted.inboxes);
      // The client has not received what it could not read before, and may show what it can read no longer.
      const isMore = visible.some((scope) => !before.visible.includes(scope));
      if (isMore || !isDeepStrictEqual(inboxes, before.inboxes)) reset();
    },
    reset,
    end: stream.end,
    begin: (cursor) => {
      for (const text of kept ?? []) stream.send(text);
      kept = null;
      stream.send(Buffer.from(writeEvent('ready', {}, cursor())));
    },
  };
}

const findVisible = (granted: readonly string[]): Scope[] => SCOPES.filter((scope) => allows(granted, scope));
