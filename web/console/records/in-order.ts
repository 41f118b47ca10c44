/** What a user does with a conversation reaches the platform in the order in which it was done, also after the browser was offline. */
import { isParleyError, type CallOptions } from '@parley/sdk';
import { useIsOnline } from '../live/network.ts';
import { createStore, useStore } from '../store.ts';

/** The options are for the call of the act. */
type Act<T> = (options: CallOptions) => Promise<T>;
/** `needsEarlier`: the act is left out when one fails that waited before it. */
export type RunInTurn = <T>(act: Act<T>, needsEarlier?: boolean) => Promise<T>;

/** The act was left out, because what it was decided on has not come true. */
export class LeftOut extends Error {}

interface Queue {
  run: RunInTurn;
  /** Resolves when the last act has ended. */
  last: Promise<unknown>;
  failures: number;
}

/** How many acts of each conversation have not ended. */
const waiting = createStore<ReadonlyMap<string, number>>(new Map());

/** True while an act on the conversation waits until the browser is online. */
export function useWaitsOffline(conversation: string): boolean {
  const isWaiting = useStore(waiting, (all) => all.has(conversation));
  return !useIsOnline() && isWaiting;
}

function count(conversation: string, change: 1 | -1): void {
  const next = new Map(waiting.get());
  const left = (next.get(conversation) ?? 0) + change;
  if (left > 0) next.set(conversation, left);
  else next.delete(conversation);
  waiting.set(next);
}

// They would be lost with the page.
window.addEventListener('beforeunload', (event) => {
  if (waiting.get().size > 0 && !navigator.onLine) event.preventDefault();
});

function openQueue(conversation: string, begin: Promise<unknown> = Promise.resolve()): Queue {
  const queue: Queue = {
    last: begin,
    failures: 0,
    run: (act, needsEarlier = false) => {
      const { failures } = queue;
      const done = queue.last.then(() => {
        if (needsEarlier && queue.failures > failures) throw new LeftOut();
        return whenOnline(act);
      });
      count(conversation, 1);
      // Failure policy: the caller handles the failure; the acts behind it run, unless they need it.
      queue.last = done.catch(() => (queue.failures += 1)).finally(() => count(conversation, -1));
      return done;
    },
  };
  return queue;
}

const queues = new Map<string, Queue>();

/** Runs an act on a conversation once those before it have ended. While the browser is offline, it waits. */
export function inOrder<T>(conversation: string, act: Act<T>, needsEarlier?: boolean): Promise<T> {
  const queue = queues.get(conversation) ?? openQueue(conversation);
  queues.set(conversation, queue);
  return queue.run(act, needsEarlier);
}

/** Keeps a place in the order for acts that are not known yet. `work` resolves with false when nothing came of it. */
export function keepPlace(conversation: string, work: (run: RunInTurn) => Promise<boolean>): void {
  const turn = Promise.withResolvers<void>();
  const inner = openQueue(conversation, turn.promise);
  const done = work(inner.run);
  inOrder(conversation, async () => {
    turn.resolve();
    if (!(await done) || inner.failures > 0) throw new LeftOut();
  }).catch(() => {
    // Failure policy: whoever does the work says what has failed; this only counts as a failure for the acts behind it.
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
