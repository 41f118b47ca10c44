/** Work in a rhythm: what is asked does not wait for what was answered, as with many people who know nothing of each other. */
import { setTimeout as sleep } from 'node:timers/promises';

/** At this rate, whatever the answers take; resolves with all of them. */
export async function inRhythm<T>(perSecond: number, seconds: number, ask: () => Promise<T>): Promise<T[]> {
  const started = performance.now();
  const answers: Promise<T>[] = [];
  for (let gone = 0; gone < seconds; gone = (performance.now() - started) / 1_000) {
    while (answers.length < gone * perSecond) answers.push(ask());
    await sleep(1_000 / perSecond);
  }
  return Promise.all(answers);
}
