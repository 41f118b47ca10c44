/** Starts the thread for vectors when it is needed first, and passes questions and vectors on to it. */
import { Worker } from 'node:worker_threads';
import type { FromThread, NearestQuestion, NearVector, ToThread } from './protocol.ts';

export interface VectorThread {
  /** Sends vectors, or says which are gone. Messages arrive in the order in which they were sent. */
  tell(message: Exclude<ToThread, { ask: number }>): void;
  ask(question: NearestQuestion): Promise<NearVector[]>;
  close(): Promise<void>;
}

/** `onEnd` is called when the thread has ended by itself, with all that it knew. */
export function createVectorThread(onEnd: () => void): VectorThread {
  const asked = new Map<number, PromiseWithResolvers<NearVector[]>>();
  let thread: Worker | null = null;
  let count = 0;

  function start(): Worker {
    const started = new Worker(new URL('./thread.ts', import.meta.url), { env: {}, execArgv: [] });
    // A thread that has nothing to do does not keep the process alive.
    started.unref();
    started.on('message', ({ answer, near }: FromThread) => {
      asked.get(answer)?.resolve(near);
      asked.delete(answer);
    });
    // Failure policy: the open questions fail, and the next one starts another thread.
    started.on('error', end);
    started.on('exit', () => end(new Error('the thread for vectors has ended')));
    return started;
  }

  function end(error: unknown): void {
    if (thread === null) return;
    thread = null;
    onEnd();
    for (const { reject } of asked.values()) reject(error);
    asked.clear();
  }

  function post(message: ToThread): void {
    thread ??= start();
    // The numbers are moved and not copied.
    thread.postMessage(message, 'add' in message ? message.add.map(({ values }) => values.buffer) : []);
  }

  return {
    tell: post,
    ask: (question) => {
      const answer = Promise.withResolvers<NearVector[]>();
      asked.set((count += 1), answer);
      post({ ask: count, ...question });
      return answer.promise;
    },
    close: async () => {
      await thread?.terminate();
    },
  };
}
