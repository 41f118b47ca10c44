/** How often the page has been loaded in vain, so that many browsers do not ask a busy platform every few seconds. */
const KEPT_AS = 'parley.reloads';
const WAIT_MS = 3_000;
const MOST_WAIT_MS = 60_000;

/** Returns the time after which the page may be loaded again. */
export function countFailure(): number {
  try {
    const failures = Number(sessionStorage.getItem(KEPT_AS));
    sessionStorage.setItem(KEPT_AS, String(failures + 1));
    return Math.min(WAIT_MS * 2 ** failures, MOST_WAIT_MS);
  } catch {
    // Failure policy: a browser that forbids storage waits longest.
    return MOST_WAIT_MS;
  }
}

export function forgetFailures(): void {
  try {
    sessionStorage.removeItem(KEPT_AS);
  } catch {
    // Failure policy: as above.
  }
}
