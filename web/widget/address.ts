/** Where this page is: its inbox, its platform, and the site that shows it. */

/** The id of the inbox is the last part of the page's address. */
export const INBOX = decodeURIComponent(location.pathname.split('/').at(-1) ?? '');

/** The address of the platform, with a slash at its end. A proxy may put the platform below a prefix. */
export const PLATFORM = new URL('..', document.baseURI).href;

/** The origin of the site that has this page in a frame; null when the page was opened by itself. */
export const SITE = parent === window ? null : new URLSearchParams(location.hash.slice(1)).get('origin');

/**
 * Returns the address of a file at this page's own host. Messages name the platform's public address, which the browser need not be able to
 * reach.
 */
export function toFileAddress(url: string): string {
  const at = url.indexOf('/files/');
  return at < 0 ? url : new URL(url.slice(at + 1), PLATFORM).href;
}

/** Returns the key under which the browser keeps something for this inbox. */
export const keptFor = (name: string): string => `parley.${name}.${INBOX}`;
