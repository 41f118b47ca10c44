/**
 * Who looks at which conversation of a company, and who types there. It is stored nowhere: processes tell each other by signals of the
 * change feed. Who views a conversation says so again before it ends. It also ends with the caller's last stream.
 */
import type { LiveEvent } from './records.ts';
import type { Presence, PresenceState } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// How long each state holds without being said again.
const HOLDS_MS: Record<PresenceState, number> = {
  VIEWING: declareLimit(60_000, {
    topic: 'Live',
    what: 'Presence: VIEWING without a repetition',
    unit: 'ms',
    beyond: 'AWAY',
  }),
  TYPING: declareLimit(15_000, {
    topic: 'Live',
    what: 'Presence: TYPING without a repetition',
    unit: 'ms',
    beyond: 'VIEWING',
  }),
  AWAY: 0,
};
// A page that is loaded again closes its stream and opens another one.
const LINGER_MS = 5_000;
// The most presences of a company, and of one caller.
const MOST = declareLimit(2_000, { topic: 'Live', what: 'Presences per company', beyond: 'not shown' });
const MOST_OF_CALLER = declareLimit(20, {
  topic: 'Live',
  what: 'Presences per user or key',
  beyond: 'the oldest ends',
});

/** What processes tell each other. */
interface PresenceSignal {
  presence: Presence;
  /** The inbox of the conversation. */
  inbox: string;
  /** The caller's last stream in a process has closed; others may be open elsewhere. */
  isClosed?: boolean;
}

interface Entry {
  presence: Presence;
  inbox: string;
  endsAtMs: number;
}

export interface CompanyPresence {
  /** Takes a signal of this process or another one. */
  take(signal: unknown): void;
  /** Ends what has not been said again. */
  tick(): void;
  /** Counts a stream of the caller. Returns a function that ends this. */
  enter(caller: string): () => void;
  /** Returns all as events. */
  list(): LiveEvent[];
}

/** `announce` sends events to the streams of the company in this process, and `signal` reaches all processes, this one included. */
export function createPresence(
  announce: (events: LiveEvent[]) => void,
  signal: (signal: PresenceSignal) => void,
): CompanyPresence {
  const entries = new Map<string, Entry>();
  const streams = new Map<string, number>();

  const isHere = (caller: string): boolean => (streams.get(caller) ?? 0) > 0;
  const listOf = (caller: string): Entry[] => [...entries.values()].filter(({ presence: { by } }) => by._id === caller);

  /** Keeps a presence, and announces it if it differs from what was known. */
  function set({ presence, inbox }: Omit<PresenceSignal, 'isClosed'>): void {
    const key = `${presence.by._id} ${presence.conversation}`;
    const known = entries.get(key)?.presence.state ?? 'AWAY';
    const isKept = presence.state !== 'AWAY' && (entries.has(key) || entries.size < MOST);
    entries.delete(key);
    if (isKept) entries.set(key, { presence, inbox, endsAtMs: performance.now() + HOLDS_MS[presence.state] });
    if (known !== presence.state && (isKept || known !== 'AWAY')) announce([toEvent({ presence, inbox })]);
  }

  function close(caller: string): void {
    if (isHere(caller)) return;
    streams.delete(caller);
    for (const { presence, inbox } of listOf(caller))
      signal({ presence: { ...presence, state: 'AWAY' }, inbox, isClosed: true });
  }

  return {
    take: (data) => {
      const { presence, inbox, isClosed = false } = data as PresenceSignal;
      const caller = presence.by._id;
      if (isClosed && isHere(caller)) return signal({ presence: { ...presence, state: 'VIEWING' }, inbox });
      const others = listOf(caller).filter((each) => each.presence.conversation !== presence.conversation);
      for (const old of others.slice(0, -MOST_OF_CALLER)) set(withState(old, 'AWAY'));
      set({ presence, inbox });
    },
    tick: () => {
      const now = performance.now();
      const ended = [...entries.values()].filter(({ endsAtMs }) => endsAtMs <= now);
      // Who has stopped typing still looks at the conversation.
      for (const entry of ended) set(withState(entry, entry.presence.state === 'TYPING' ? 'VIEWING' : 'AWAY'));
    },
    enter: (caller) => {
      streams.set(caller, (streams.get(caller) ?? 0) + 1);
      return () => {
        streams.set(caller, (streams.get(caller) ?? 0) - 1);
        setTimeout(close, LINGER_MS, caller).unref();
      };
    },
    list: () => [...entries.values()].map(toEvent),
  };
}

const withState = ({ presence, inbox }: Entry, state: PresenceState): Omit<PresenceSignal, 'isClosed'> => ({
  presence: { ...presence, state },
  inbox,
});

const toEvent = ({ presence, inbox }: Pick<Entry, 'presence' | 'inbox'>): LiveEvent => ({
  name: 'presence',
  scope: 'conversations:read',
  data: presence,
  inbox,
});
