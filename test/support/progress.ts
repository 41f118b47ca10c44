/** Reports the progress of a long run to a terminal. Inside `npm test` nothing is printed. */
import { channel } from 'node:diagnostics_channel';

const PROGRESS = channel('parley.progress');

/** Reports one short line: which step begins now, or how far the run is. */
export function reportProgress(text: string): void {
  PROGRESS.publish(text);
}

/** Prints every report to stderr, so that reports do not mix with the results, with the seconds since this call. */
export function printProgress(): void {
  const startedMs = performance.now();
  PROGRESS.subscribe((text) => {
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0).padStart(6);
    process.stderr.write(`${seconds} s  ${String(text)}\n`);
  });
}
