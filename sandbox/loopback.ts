import type { IncomingMessage } from 'node:http';

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Returns true for a host name or address that always means this machine. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK_HOST.test(host);

/** Returns true for an http(s) address on this machine. The sandbox makes requests to no other addresses. */
export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackHost(url.hostname);
}

/**
 * Returns true for a request that a page of another site made a browser send, or that came under a foreign host name (DNS rebinding). The
 * control API has no password, so such a request must not reach it.
 */
export function isForeign(req: IncomingMessage): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin } = req.headers;
  // Browsers send an Origin with every POST, even those without Sec-Fetch-Site. The Origin of our own pages names the host that they call.
  if (origin !== undefined && URL.parse(origin)?.host !== req.headers.host) return true;
  const host = (req.headers.host ?? '').replace(/:\d+$/, '');
  return !isLoopbackHost(host);
}
