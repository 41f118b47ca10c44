/** Web addresses, as people and programs write them. */

/** A name, an IPv4 address or an IPv6 address. The URL parser also takes `;` and quotes in a name, which no host has. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

/** Returns the address; null for a text that is no whole http or https address. */
export function parseWebAddress(text: string): URL | null {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && HOST.test(url.hostname) ? url : null;
}
