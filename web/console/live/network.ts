/** Whether the browser has a network. */
import { useSyncExternalStore } from 'react';

/** The browser knows at once that it has lost its network; the stream would notice only after a while. */
export const useIsOnline = (): boolean => useSyncExternalStore(followNetwork, () => navigator.onLine);

function followNetwork(listen: () => void): () => void {
  const end = new AbortController();
  for (const event of ['online', 'offline']) window.addEventListener(event, listen, { signal: end.signal });
  return () => end.abort();
}
