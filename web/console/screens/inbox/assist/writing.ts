/** What the model writes into the composer: the request that runs, and what the composer had before. */
import { createStore, useStore } from '../../../store.ts';
import { returnToComposer } from '../../../frame/writing.ts';
import { showFault } from './explain.ts';

interface Written {
  /** The draft that was replaced. */
  place: string;
  before: string;
  after: string;
  /** The names of what the model has read. */
  sources: readonly string[];
}

interface Running {
  place: string;
  stop: AbortController;
}

const written = createStore<Written | null>(null);
const running = createStore<Running | null>(null);

/** The request whose text comes into this draft; null for none. */
export const useRunning = (place: string): AbortController | null =>
  useStore(running, (now) => (now?.place === place ? now.stop : null));

/** What the draft was before; null once the text of the model has changed. */
export const useWritten = (place: string, text: string): Written | null =>
  useStore(written, (last) => (last?.place === place && last.after === text ? last : null));

interface Writing {
  place: string;
  before: string;
  ask(signal: AbortSignal): Promise<Pick<Written, 'sources'> & { text: string }>;
  put(text: string): void;
}

/** Puts what the model writes into the draft, in place of what is there. One request runs at a time. */
export async function write({ place, before, ask, put }: Writing): Promise<void> {
  running.get()?.stop.abort();
  const stop = new AbortController();
  running.set({ place, stop });
  try {
    const { text, sources } = await ask(stop.signal);
    if (stop.signal.aborted) return;
    written.set({ place, before, after: text, sources });
    put(text);
    returnToComposer();
  } catch (error) {
    showFault(error, stop.signal);
  } finally {
    if (running.get()?.stop === stop) running.set(null);
  }
}
