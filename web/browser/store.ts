/** Values that the parts of a page follow, and texts that the browser keeps for it. */

export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** Calls `listen` after each change; the result ends that. */
  follow(listen: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set: (value) => {
      if (Object.is(value, current)) return;
      current = value;
      for (const listen of listeners) listen();
    },
    follow: (listen) => {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
  };
}

/** Reads what the browser keeps for this origin; null when there is nothing, or when the browser keeps nothing. */
export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Failure policy: a browser that forbids storage keeps nothing over a reload.
    return null;
  }
}

/** Keeps a text over reloads; null removes it. */
export function keep(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Failure policy: as above. A full storage keeps the older text.
  }
}

/** Lists the keys with this beginning under which something is kept. */
export function listKeptKeys(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    // Failure policy: as above.
    return [];
  }
}

/** Reads everything that is kept under keys with this beginning. */
export const listKept = (prefix: string): string[] => listKeptKeys(prefix).flatMap((key) => readKept(key) ?? []);
