/** The client of the platform's API, and the addresses of this page. */
import { createClient } from '@parley/sdk';

/** The path of the console, without a slash at its end. A proxy may put the platform below a prefix. */
export const CONSOLE_PATH = new URL(document.baseURI).pathname.replace(/\/$/, '');
const PLATFORM = new URL('..', document.baseURI).href;

/** The browser sends its session's cookie with each call. */
export const parley = createClient({ url: PLATFORM, repeatForMs: 15_000, timeoutMs: 30_000 });

/** The client for what a page says as it is closed: the browser sends these requests also when the page is gone. */
export const lastWords = createClient({ url: PLATFORM, fetch: (request) => fetch(request, { keepalive: true }) });

/**
 * Returns the address of a file at this page's own host. Records name the platform's public address, which the browser need not be able to
 * reach.
 */
export function toFileAddress(url: string): string {
  const at = url.indexOf('/files/');
  return at < 0 ? url : new URL(url.slice(at + 1), PLATFORM).href;
}

export const toPlatformAddress = (path: string): string => new URL(path, PLATFORM).href;

/** Returns the address of another screen for a link; inside of a screen, plain paths lead to its own parts. */
export const toScreen = (path: string): string => `~${CONSOLE_PATH}${path}`;
