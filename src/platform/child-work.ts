/** The child's side of `child.ts`: answers what the parent asks for, one piece of work after the other. */
import { AppError } from './errors.ts';
import type { FromChild, ToChild } from './child.ts';

/** Answers one request of the parent. `supply` asks the parent for what the work needs. */
export type Worker = (request: object, supply: (question: object) => Promise<unknown>) => Promise<unknown>;

/** Answers the parent's requests with `work`, and ends when the parent closes the channel. */
export function serveParent(work: Worker): void {
  const wanted = new Map<number, (value: unknown) => void>();
  let count = 0;
  const say = (message: FromChild): void => void process.send?.(message);
  const supply = (question: object): Promise<unknown> =>
    new Promise((resolve) => {
      wanted.set((count += 1), resolve);
      say({ want: count, question });
    });
  process.on('disconnect', () => process.exit());
  process.on('message', (message) => {
    const said = message as ToChild;
    if ('give' in said) {
      wanted.get(said.give)?.(said.value);
      wanted.delete(said.give);
    } else void answer(said.ask, said.request);
  });

  async function answer(ask: number, request: object): Promise<void> {
    try {
      say({ answer: ask, value: await work(request, supply) });
    } catch (error) {
      // Failure policy: what is meant for a caller goes to the parent as it is; everything else is a defect, told without the data.
      if (error instanceof AppError)
        say({ fault: ask, error: { code: error.code, detail: error.message, errors: error.errors } });
      else say({ defect: ask, error: error instanceof Error ? `${error.name} ${placesOf(error)}` : typeof error });
    }
  }
}

/** Where it happened, without the message, which may quote the file. */
const placesOf = (error: Error): string =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 5)
    .join(' ');
