/** Repeats work at a fixed rate without waiting for earlier answers, as many independent people would. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts the work `perSecond` times a second, however long answers take; resolves with all answers. */
export async function repeatAtRate<T>(perSecond: number, seconds: number, ask: () => Promise<T>): Promise<T[]> {
  const started = performance.now();
  const answers: Promise<T>[] = [];
  for (let gone = 0; gone < seconds; gone = (performance.now() - started) / 1_000) {
    while (answers.length < gone * perSecond) answers.push(ask());
    await sleep(1_000 / perSecond);
  }
  return Promise.all(answers);
}
