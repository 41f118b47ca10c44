/** Whether this page hears of changes. */
import { createStore, useStore } from '../store.ts';

interface LiveStatus {
  isConnected: boolean;
  /** The stream has said that nothing is missed from now on. */
  isReady: boolean;
}

export const liveStatus = createStore<LiveStatus>({ isConnected: false, isReady: false });

/** How long reading waits for the stream. What was read without it is read again once it is open. */
const PATIENCE_MS = 1_500;

let hasReadBefore = false;

/** Resolves when the stream is open, or after a while without it. */
export function whenLive(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stop();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      hasReadBefore = true;
      end();
    }, PATIENCE_MS);
    const stop = liveStatus.follow(() => liveStatus.get().isReady && end());
    if (liveStatus.get().isReady) end();
  });
}

/** Returns once whether something was read before the stream was open. */
export function takeEarlyReads(): boolean {
  const result = hasReadBefore;
  hasReadBefore = false;
  return result;
}

export const useLiveStatus = (): LiveStatus => useStore(liveStatus);
