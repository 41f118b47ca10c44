/** Wakes the loops of this process that have got work, so that they need not wait for their next look into the database. */
export interface WakeUps {
  /** Calls the listener whenever this process has stored work in the queue. Returns a function that removes the listener. */
  listen(queue: string, listener: () => void): () => void;
  wake(queue: string): void;
}

export function createWakeUps(): WakeUps {
  const listeners = new Map<string, Set<() => void>>();
  return {
    listen: (queue, listener) => {
      const ofQueue = listeners.get(queue) ?? new Set();
      listeners.set(queue, ofQueue.add(listener));
      return () => ofQueue.delete(listener);
    },
    wake: (queue) => {
      for (const listener of listeners.get(queue) ?? []) listener();
    },
  };
}
