/**
 * What the test files that run one after the other in the same process share: to renew a platform takes a fraction of the time in which
 * another one starts. This file loads nothing of it, because many files need none.
 */

interface Shared<T> {
  open(): Promise<T>;
  /** Brings it back to the state in which it was opened. Called before a further file uses it. */
  renew(kept: T): Promise<void>;
  close(kept: T): Promise<void>;
}

interface Kept {
  close(): Promise<void>;
  value: unknown;
  isLent: boolean;
}

let isSharing = false;
const kept = new Map<string, Kept>();

/** From now on the test files of this process share what they borrow. */
export const beginSharing = (): void => void (isSharing = true);

/** Called after each test file, when its tests have ended. */
export function giveBack(): void {
  for (const one of kept.values()) one.isLent = false;
}

export async function endSharing(): Promise<void> {
  for (const { close } of kept.values()) await close();
  kept.clear();
}

/**
 * Returns what files share under this name. Undefined in a process of a single file, for a file that gives options, and for one that has
 * borrowed it already, because these need one of their own.
 */
export async function borrow<T>(
  name: string,
  options: object,
  { open, renew, close }: Shared<T>,
): Promise<T | undefined> {
  if (!isSharing || Object.keys(options).length > 0 || kept.get(name)?.isLent) return undefined;
  const known = kept.get(name);
  if (known) {
    known.isLent = true;
    await renew(known.value as T);
    return known.value as T;
  }
  const value = await open();
  kept.set(name, { value, isLent: true, close: () => close(value) });
  return value;
}
