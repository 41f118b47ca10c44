/** What the model writes into the composer: the request that runs, and what the composer had before. */
import { createStore, useStore } from '../../../store.ts';
import { returnToComposer } from '../../../frame/writing.ts';
import { whenLoggedOut } from '../../../session/session.ts';
import { showFault } from './explain.ts';

interface Written {
  /** The text that was replaced. */
  before: string;
  after: string;
  /** The names of what the model has read. */
  sources: readonly string[];
}

interface Running {
  place: string;
  stop: AbortController;
}

/** By draft: what the model has written one after the other, each in place of the one before. */
const written = createStore<ReadonlyMap<string, readonly Written[]>>(new Map());
const running = createStore<Running | null>(null);

/** The request whose text comes into this draft; null for none. */
export const useRunning = (place: string): AbortController | null =>
  useStore(running, (now) => (now?.place === place ? now.stop : null));

/** What the draft was before; null once the text of the model has changed. */
export const useWritten = (place: string, text: string): Written | null =>
  useStore(written, (all) => findLast(all.get(place), text));

const findLast = (chain: readonly Written[] | undefined, text: string): Written | null => {
  const last = chain?.at(-1);
  return last?.after === text ? last : null;
};

const setChain = (place: string, chain: readonly Written[]): void =>
  written.set(new Map(written.get()).set(place, chain));

/** Takes back what the model has written last, and returns what the draft was before. */
export function takeBack(place: string, { before }: Written): string {
  setChain(place, written.get().get(place)?.slice(0, -1) ?? []);
  return before;
}

whenLoggedOut(() => written.set(new Map()));

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
    const chain = written.get().get(place);
    setChain(place, [...((findLast(chain, before) && chain) ?? []), { before, after: text, sources }]);
    put(text);
    returnToComposer();
  } catch (error) {
    showFault(error, stop.signal);
  } finally {
    if (running.get()?.stop === stop) running.set(null);
  }
}
