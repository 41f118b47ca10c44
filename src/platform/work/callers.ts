/**
 * Talks with servers that tenants chose in child processes, so that nothing that such a server says can stop this process from serving. A call
 * has a child for itself, so that the time it takes is known to be its own. All watches share one child; its program limits how much each
 * server may say.
 */
import type { Socket } from 'node:net';
import { AppError } from '../values/errors.ts';
import { createPool, endOrLength, type ChildPool } from './child-pool.ts';
import { openChild, type Child, type ChildKind } from './child.ts';
import { createShares, type Shares } from './shares.ts';
import { declareLimit } from '../values/limits.ts';

interface Conversation {
  /** Opens the connection, which is then handed over to the child. */
  connect(): Promise<Socket>;
  /** What the child is told, beside the number of the conversation. */
  request: object;
  /** Ends the conversation: the child is told, and answers what it knows. */
  signal: AbortSignal;
}

export interface Callers {
  /**
   * Returns the answer of the child. `owner` is the company whose share is used. Throws UNAVAILABLE when the call waits too long for its turn,
   * also when that leaves it too little of its time; the error of `connect`; and ChildEnded: LATE when the call used up its CPU time, FULL or DIED
   * when its memory ran out, and DIED when it did not end in time.
   */
  call<A>(owner: string, conversation: Conversation): Promise<A>;
  /** Resolves with the answer of the child, which calls `onNews` meanwhile. Throws as `call` does. */
  watch<A>(conversation: Conversation, onNews: () => void): Promise<A>;
  close(): void;
}

/** How a child knows a conversation. */
export interface Numbered {
  conversation: number;
}

/** The request that ends a conversation. */
export interface ConversationEnd {
  end: number;
  /** True when its time is over, and false when nobody is interested in it any more. */
  isLate: boolean;
}

/** How many calls run at once, and how many of one company. Each needs some 60 MB of memory. */
const MOST_CALLS = declareLimit(8, {
  topic: 'E-mail',
  what: 'Mailboxes read at the same time, per process',
  beyond: 'the next one waits',
});
const MOST_PER_OWNER = declareLimit(2, {
  topic: 'E-mail',
  what: 'Mailboxes read at the same time, per company and process',
  beyond: 'the next one waits',
});
/** A place that is free again within this time is worth the wait. */
const WAIT_MS = 60_000;
/** Places for companies that have none. */
const KEPT = 2;
/** A call that waited for longer than this and then ran out of time says nothing about its server. */
const NOTICED_WAIT_MS = 500;
// Reading twenty mails takes a tenth of this time, and a slow machine half of it.
const CALL_CPU_MS = declareLimit(10_000, {
  topic: 'E-mail',
  what: 'Mailbox: computing time of one reading',
  unit: 'ms',
  beyond: 'the inbox becomes ERROR',
});
/** The time in which a child that was told to end a call has to answer. */
const ENDING_MS = 2_000;
// What is larger, such as a mail, is kept outside of the heap.
const HEAP_MB = 64;

/** Creates the callers. `module` is the program of the children, and `nice` is the priority of a call that takes long. */
export function createCallers(module: URL, nice: number): Callers {
  const kind: ChildKind = { module, heapMb: HEAP_MB, nice };
  const listeners = new Map<number, () => void>();
  const tell = async (news: object): Promise<null> => {
    listeners.get((news as Numbered).conversation)?.();
    return null;
  };
  const pool = createPool(kind);
  const places = createShares(MOST_PER_OWNER, WAIT_MS, { all: MOST_CALLS, kept: KEPT });
  let watching: Child | null = null;
  let count = 0;
  return {
    call: <A>(owner: string, conversation: Conversation) =>
      waitForTurn(places, owner, conversation.signal, async () => {
        const socket = await conversation.connect();
        return call<A>(pool, (count += 1), socket, conversation);
      }),
    watch: async ({ connect, request, signal }, onNews) => {
      const socket = await connect();
      const child = (watching = watching?.isAlive() ? watching : openChild(kind, tell));
      const conversation = (count += 1);
      listeners.set(conversation, onNews);
      const unfollow = follow(child, conversation, signal, () => undefined);
      try {
        return await child.ask({ ...request, conversation }, Number.POSITIVE_INFINITY, socket);
      } finally {
        unfollow();
        socket.destroy();
        listeners.delete(conversation);
        if (listeners.size === 0) child.end();
      }
    },
    close: () => {
      pool.close();
      watching?.end();
    },
  };
}

/** Runs `work` in its turn. A call that is aborted before, or because its turn left it too little time, fails as UNAVAILABLE. */
function waitForTurn<A>(places: Shares, owner: string, signal: AbortSignal, work: () => Promise<A>): Promise<A> {
  const askedMs = performance.now();
  const late = Promise.withResolvers<never>();
  const leave = (): void => late.reject(makeBusyError());
  signal.addEventListener('abort', leave, { once: true });
  const called = places.within(owner, async () => {
    signal.removeEventListener('abort', leave);
    const hasWaited = performance.now() - askedMs > NOTICED_WAIT_MS;
    if (signal.aborted) throw makeBusyError();
    const [result] = await Promise.allSettled([work()]);
    if (signal.aborted && hasWaited) throw makeBusyError();
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  return Promise.race([called, late.promise]);
}

const makeBusyError = (): AppError =>
  new AppError('UNAVAILABLE', 'Too many mailboxes are being read at once', [], { 'retry-after': '5' });

/** Runs a call in a child of its own. */
async function call<A>(
  pool: ChildPool,
  conversation: number,
  socket: Socket,
  { request, signal }: Conversation,
): Promise<A> {
  const kept = pool.take(false, async () => null);
  const { child } = kept;
  const beganMs = performance.now();
  const unfollow = follow(child, conversation, signal, () => pool.end(kept));
  try {
    const answer = child.ask<A>({ ...request, conversation }, CALL_CPU_MS, socket);
    void endOrLength(kept, answer);
    return await answer;
  } finally {
    unfollow();
    socket.destroy();
    kept.workedMs += performance.now() - beganMs;
    if (child.isAlive()) pool.rest(kept);
    else pool.end(kept);
  }
}

/** Tells the child when the signal ends the conversation, and calls `onOverdue` when that has no effect. Returns what ends this. */
function follow(child: Child, conversation: number, signal: AbortSignal, onOverdue: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    const isLate = (signal.reason as Error | undefined)?.name === 'TimeoutError';
    // Failure policy: a child that has ended has also ended its conversations.
    child.ask({ end: conversation, isLate } satisfies ConversationEnd, CALL_CPU_MS).catch(() => undefined);
    timer = setTimeout(onOverdue, ENDING_MS);
  };
  signal.addEventListener('abort', end, { once: true });
  // The child is told after it has got the conversation.
  if (signal.aborted) queueMicrotask(end);
  return () => {
    signal.removeEventListener('abort', end);
    clearTimeout(timer);
  };
}
