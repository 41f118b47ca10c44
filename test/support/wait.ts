/** Waits until `look` returns a value, and throws after the time limit. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/**
 * Waits until a credential is refused, and returns the start time of the last call that was still accepted, in milliseconds since the first
 * call.
 */
export async function lastAcceptedMs(isRefused: () => Promise<boolean>): Promise<number> {
  const startedMs = performance.now();
  let lastMs = 0;
  await until('the credential to be refused', async () => {
    const askedMs = performance.now() - startedMs;
    if (await isRefused()) return true;
    lastMs = askedMs;
    return false;
  });
  return lastMs;
}
