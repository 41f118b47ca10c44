/** Waits for a condition, with a deadline. */
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

/** Waits until a credential is refused, and returns when the last call began that was still accepted. */
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
