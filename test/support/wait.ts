// The pause between two looks. It grows with the time that was waited, because looking all the time would slow down what is waited for.
const PAUSE_MS = { least: 15, most: 100, share: 0.1 };

/** After so long a wait says what it waits for. */
const SAID_MS = 60_000;

/**
 * The time limit of a wait, like that of the waits in a page. It judges no machine: it only ends a wait for what never comes, so that the test
 * fails with its name before the time limit of its file ends the files that run in the same process, too.
 */
const LIMIT_MS = 600_000;

/** Waits until `look` returns a value. Throws after the time limit, which the proofs of test/full choose. `what` is read only then. */
export async function waitUntil<T>(
  what: string | (() => string),
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = LIMIT_MS,
): Promise<T> {
  const say = typeof what === 'string' ? () => what : what;
  const startedMs = performance.now();
  let hasSaid = false;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${say()}`);
    if (waitedMs > SAID_MS && !hasSaid) process.stderr.write(`still waiting for ${say()}\n`);
    hasSaid = waitedMs > SAID_MS;
    const pauseMs = Math.min(Math.max(waitedMs * PAUSE_MS.share, PAUSE_MS.least), PAUSE_MS.most);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
