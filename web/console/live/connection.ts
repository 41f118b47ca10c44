/**
 * Brings the changes of the company to this page. All tabs of a browser share one stream: the tab that leads reads it and passes each event
 * on. When that tab closes, another one goes on behind the last event.
 */
import { isParleyError, type LiveEvent, type Presence } from '@parley/sdk';
import { joinTabs } from '../../browser/tabs.ts';
import { parley } from '../client.ts';
import { endSession, type Session } from '../session/session.ts';
import { listPresent, setPresent } from './presence.ts';
import { liveStatus } from './status.ts';

/** What tabs tell each other. */
type TabWord =
  | { word: 'hello' }
  | { word: 'state'; isConnected: boolean; isReady: boolean; lastEventId: string; present: readonly Presence[] }
  | { word: 'event'; event: LiveEvent };

/** The pause before the stream is tried again after an answer that the client does not repeat by itself. */
const PAUSE_MS = 5_000;

/** Called with each event once, in order. `leads`: this tab reads the stream for all tabs. */
type Apply = (event: LiveEvent, leads: boolean) => void;

/** Follows the company's changes until the signal ends. */
export function followLive({ company, user }: Session, apply: Apply, signal: AbortSignal): void {
  const state = (): TabWord => ({ word: 'state', ...liveStatus.get(), lastEventId, present: listPresent() });
  let lastEventId = '';

  const take = (event: LiveEvent, leads: boolean): void => {
    lastEventId = event.id ?? lastEventId;
    apply(event, leads);
    if (event.event === 'ready') liveStatus.set({ isConnected: true, isReady: true });
  };
  const tabs = joinTabs<TabWord>(`parley-live:${company}:${user._id}`, {
    signal,
    onWord: (word) => {
      if (word.word === 'hello') return void (tabs.isLeader() && tabs.tell(state()));
      if (word.word === 'event') return take(word.event, false);
      lastEventId = word.lastEventId;
      setPresent(word.present);
      liveStatus.set({ isConnected: word.isConnected, isReady: word.isReady });
    },
    lead: () =>
      readStream({
        signal,
        place: () => lastEventId,
        onConnection: (isConnected) => {
          // What was read before stays true: the stream goes on behind the last event.
          liveStatus.set({ isConnected, isReady: liveStatus.get().isReady });
          tabs.tell(state());
        },
        onEvent: (event) => {
          tabs.tell({ word: 'event', event });
          take(event, true);
        },
      }),
  });
  tabs.tell({ word: 'hello' });
  signal.addEventListener('abort', () => liveStatus.set({ isConnected: false, isReady: false }));
}

interface StreamReader {
  signal: AbortSignal;
  place(): string;
  onConnection(isConnected: boolean): void;
  onEvent(event: LiveEvent): void;
}

async function readStream({ signal, place, onConnection, onEvent }: StreamReader): Promise<void> {
  while (!signal.aborted) {
    try {
      const lastEventId = place() || undefined;
      for await (const event of parley.live.follow({ signal, lastEventId, onConnection })) onEvent(event);
    } catch (error) {
      if (signal.aborted) return;
      if (isParleyError(error) && error.code === 'UNAUTHORIZED') return endSession();
      // Failure policy: whatever else the platform answers may pass; the page says meanwhile that it is not connected.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
