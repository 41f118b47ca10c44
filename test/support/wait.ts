// The pause between two looks. It grows with the time that was waited, because looking all the time would slow down what is waited for.
const PAUSE_MS = { least: 15, most: 100, share: 0.1 };

/** The time limit of a wait. A busy machine needs many times what an idle one does, so a test that judges a time measures it itself. */
const PATIENCE_MS = 120_000;

/** Waits until `look` returns a value, and throws after the time limit. */
export async function waitUntil<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const startedMs = Date.now();
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    const waitedMs = Date.now() - startedMs;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    const pauseMs = Math.min(Math.max(waitedMs * PAUSE_MS.share, PAUSE_MS.least), PAUSE_MS.most);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/**
 * Waits until a credential is refused, and returns the start time of the last call that was still accepted, in milliseconds since the first
 * call.
 */
export async function measureLastAcceptedMs(isRefused: () => Promise<boolean>): Promise<number> {
  const startedMs = performance.now();
  let lastMs = 0;
  await waitUntil('the credential to be refused', async () => {
    const askedMs = performance.now() - startedMs;
    if (await isRefused()) return true;
    lastMs = askedMs;
    return false;
  });
  return lastMs;
}
