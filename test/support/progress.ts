/** What a long run does at the moment, for whoever waits for it in a terminal. Inside `npm test` nobody listens. */
import { channel } from 'node:diagnostics_channel';

const PROGRESS = channel('parley.progress');

/** One short line: what begins now, or how far it is. */
export function reportProgress(text: string): void {
  PROGRESS.publish(text);
}

/** Prints every report with the seconds since this call, beside the results and not among them: to stderr. */
export function printProgress(): void {
  const startedMs = performance.now();
  PROGRESS.subscribe((text) => {
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0).padStart(6);
    process.stderr.write(`${seconds} s  ${String(text)}\n`);
  });
}
