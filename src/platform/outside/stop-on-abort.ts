/**
 * Calls `stop` when the signal aborts, until the returned function is called. An event target links its listeners, so one that was removed
 * from a signal that many calls share stays in memory with those after it until the whole heap is collected. It must not refer to what
 * its call has used.
 */
export function stopOnAbort(signal: AbortSignal, stop: () => void): () => void {
  const held: { stop: (() => void) | null } = { stop };
  const listener = (): void => held.stop?.();
  signal.addEventListener('abort', listener);
  return () => {
    held.stop = null;
    signal.removeEventListener('abort', listener);
  };
}
