// The pause between two looks. It grows with the time that was waited, because looking all the time would slow down what is waited for.
const PAUSE_MS = { least: 15, most: 100, share: 0.1 };

/** After so long a wait says what it waits for, because a test that hangs is ended only after half an hour. */
const SAID_MS = 60_000;

/**
 * Waits until `look` returns a value, however long a busy machine needs. Only the proofs of test/full give a time limit, after which it
 * throws.
 */
export async function waitUntil<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = Infinity,
): Promise<T> {
  const startedMs = performance.now();
  let hasSaid = false;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    if (waitedMs > SAID_MS && !hasSaid) process.stderr.write(`still waiting for ${what}\n`);
    hasSaid = waitedMs > SAID_MS;
    const pauseMs = Math.min(Math.max(waitedMs * PAUSE_MS.share, PAUSE_MS.least), PAUSE_MS.most);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
