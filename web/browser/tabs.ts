/**
 * The tabs of a browser that show the same. One of them leads: it holds a lock and reads the stream for all, because a browser opens only six
 * connections to a host. When that tab closes, another one leads.
 */

export interface TabGroup<Word> {
  /** Tells all other tabs. */
  tell(word: Word): void;
  isLeader(): boolean;
}

interface Membership<Word> {
  signal: AbortSignal;
  /** Another tab has told something. */
  onWord(word: Word): void;
  /** Runs in the tab that leads, until the signal ends. */
  lead(): Promise<void>;
}

/** Joins the tabs that use the same name, until the signal ends. */
export function joinTabs<Word>(name: string, { signal, onWord, lead }: Membership<Word>): TabGroup<Word> {
  const channel = openChannel(name);
  let isLeader = false;
  channel?.addEventListener('message', ({ data }: MessageEvent<Word>) => onWord(data));
  signal.addEventListener('abort', () => channel?.close());
  const leadAlone = (): Promise<void> => {
    isLeader = true;
    return lead();
  };
  // Failure policy: the request for the lock fails only when the signal ends it, or when lead() has ended for good.
  withLock(name, leadAlone, signal).catch(() => undefined);
  return {
    tell: (word) => {
      // A BroadcastChannel reaches pages of the same origin only.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      if (!signal.aborted) channel?.postMessage(word);
    },
    isLeader: () => isLeader,
  };
}

/** Opens a channel to the other tabs. */
export function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    // Failure policy: a browser that keeps nothing for a page in a frame gives it no channel either; each tab then works alone.
    return null;
  }
}

/**
 * Runs something in one tab after the other. Browsers offer locks to pages over https and on localhost only; elsewhere each tab runs it at
 * once.
 */
export async function withLock<T>(name: string, run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  // The caller goes on before it runs, as it does with a lock.
  if (!locks) return Promise.resolve().then(run);
  let isGranted = false;
  const runGranted = (): Promise<T> => {
    isGranted = true;
    return run();
  };
  try {
    return await locks.request(name, signal ? { signal } : {}, runGranted);
  } catch (error) {
    // Failure policy: a page whose browser keeps nothing for it gets no locks either; a failure of run() itself belongs to the caller.
    if (isGranted || signal?.aborted) throw error;
    return run();
  }
}

/** Another tab reads what this one has kept a moment later, so a lock that guards it is held for so long. */
const SEEN_MS = 1_000;

export const whenSeen = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SEEN_MS));
