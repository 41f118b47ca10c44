/** What the model writes to be read: summaries of conversations and translations of messages, by what they are about. */
import { whenLoggedOut } from '../../../session/session.ts';
import { createStore, useStore } from '../../../store.ts';
import { showFault } from './explain.ts';

export interface Reading {
  /** Null while the model writes. */
  text: string | null;
  isShortened: boolean;
  stop: AbortController;
}

const readings = createStore<ReadonlyMap<string, Reading>>(new Map());

export const useReading = (id: string): Reading | undefined => useStore(readings, (all) => all.get(id));

const set = (id: string, reading: Reading): void => readings.set(new Map(readings.get()).set(id, reading));

/** Hides the text, and stops a model that still writes it. */
export function hide(id: string): void {
  readings.get().get(id)?.stop.abort();
  readings.set(new Map([...readings.get()].filter(([each]) => each !== id)));
}

whenLoggedOut(() => {
  for (const { stop } of readings.get().values()) stop.abort();
  readings.set(new Map());
});

export async function read(
  id: string,
  ask: (signal: AbortSignal) => Promise<{ text: string; is_shortened?: boolean }>,
): Promise<void> {
  hide(id);
  const stop = new AbortController();
  set(id, { text: null, isShortened: false, stop });
  try {
    const { text, is_shortened = false } = await ask(stop.signal);
    if (!stop.signal.aborted) set(id, { text, isShortened: is_shortened, stop });
  } catch (error) {
    showFault(error, stop.signal);
    if (!stop.signal.aborted) hide(id);
  }
}
