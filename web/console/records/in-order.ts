/** What a user does with a conversation reaches the platform in the order in which it was done, also after the browser was offline. */
import { isParleyError, type CallOptions } from '@parley/sdk';

/** The options are for the call of the act. */
type Act<T> = (options: CallOptions) => Promise<T>;
export type RunInTurn = <T>(act: Act<T>) => Promise<T>;

interface Queue {
  run: RunInTurn;
  /** Resolves when the last act has ended. */
  last: Promise<unknown>;
}

function openQueue(begin: Promise<unknown> = Promise.resolve()): Queue {
  const queue: Queue = {
    last: begin,
    run: (act) => {
      const done = queue.last.then(() => whenOnline(act));
      // Failure policy: the caller handles the failure; the acts behind it run anyway.
      queue.last = done.catch(() => undefined);
      return done;
    },
  };
  return queue;
}

const queues = new Map<string, Queue>();

/** Runs an act on a conversation once those before it have ended. While the browser is offline, it waits. */
export function inOrder<T>(conversation: string, act: Act<T>): Promise<T> {
  const queue = queues.get(conversation) ?? openQueue();
  queues.set(conversation, queue);
  return queue.run(act);
}

/** Keeps a place in the order for acts that are not known yet. */
export function keepPlace(conversation: string, work: (run: RunInTurn) => Promise<unknown>): void {
  const turn = Promise.withResolvers<void>();
  const done = work(openQueue(turn.promise).run);
  void inOrder(conversation, () => {
    turn.resolve();
    return done;
  });
}

/** Waits for what was done with these conversations, or with all. */
export const whenDone = (conversations: Iterable<string> = queues.keys()): Promise<unknown> =>
  Promise.all([...conversations].flatMap((each) => queues.get(each)?.last ?? []));

/** Runs an act, and runs it again when it gets no answer because the browser is offline. */
async function whenOnline<T>(act: Act<T>): Promise<T> {
  for (;;) {
    try {
      // A browser can be wrong about being offline, so each act is tried once.
      return await act(navigator.onLine ? {} : { repeatForMs: 0 });
    } catch (error) {
      if (navigator.onLine || !isParleyError(error) || error.code !== 'NO_ANSWER') throw error;
      await new Promise((resolve) => window.addEventListener('online', resolve, { once: true }));
    }
  }
}
