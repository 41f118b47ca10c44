/** The part of child.ts that runs in the child process: it does the work that the parent process requests. */
import { AppError } from './errors.ts';
import type { FromChild, ToChild } from './child.ts';

/** Does the work of one request from the parent process. `supply` fetches data from the parent that the work needs. */
export type Worker = (request: object, supply: (question: object) => Promise<unknown>) => Promise<unknown>;

/** Answers the requests of the parent process with `work`. The child process ends when the parent closes the channel. */
export function serveParent(work: Worker): void {
  const wanted = new Map<number, (value: unknown) => void>();
  let count = 0;
  const send = (message: FromChild): void => void process.send?.(message);
  const supply = (question: object): Promise<unknown> =>
    new Promise((resolve) => {
      wanted.set((count += 1), resolve);
      send({ want: count, question });
    });
  process.on('disconnect', () => process.exit());
  process.on('message', (message) => {
    const incoming = message as ToChild;
    if ('give' in incoming) {
      wanted.get(incoming.give)?.(incoming.value);
      wanted.delete(incoming.give);
    } else void answer(incoming.ask, incoming.request);
  });

  async function answer(ask: number, request: object): Promise<void> {
    try {
      send({ answer: ask, value: await work(request, supply) });
    } catch (error) {
      // Failure policy: an AppError is sent to the parent unchanged. Any other error is a defect and is reported without its message, which
      // may quote the file.
      if (error instanceof AppError)
        send({ fault: ask, error: { code: error.code, detail: error.message, errors: error.errors } });
      else send({ defect: ask, error: error instanceof Error ? `${error.name} ${stackLines(error)}` : typeof error });
    }
  }
}

/** Returns the first lines of the stack without the message, which may quote the file. */
const stackLines = (error: Error): string =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 5)
    .join(' ');
