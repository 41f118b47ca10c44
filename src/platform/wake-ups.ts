/** Wakes a loop of this process that has got work, so that it need not wait for its next look into the database. */
export interface WakeUps {
  /** Calls the listener at each wake-up. Returns a function that removes the listener. */
  listen(listener: () => void): () => void;
  wake(): void;
}

export function createWakeUps(): WakeUps {
  const listeners = new Set<() => void>();
  return {
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    wake: () => {
      for (const listener of listeners) listener();
    },
  };
}
