/** The cookie by which a browser shows its session. It counts only in requests of pages from the platform's own origin. */
import type { IncomingHttpHeaders } from 'node:http';

const COOKIE = 'parley_session';
const TOKEN = /^[\w-]{43}$/;

/**
 * Returns the token of the session cookie; null when there is none, or when the request does not come from a page of the platform itself.
 */
export function readSessionCookie(headers: IncomingHttpHeaders): string | null {
  const token = headers.cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1);
  return token !== undefined && TOKEN.test(token) && isSameOrigin(headers) ? token : null;
}

/**
 * Returns true when a page of the platform's own origin makes the request. Browsers say so in Sec-Fetch-Site (W3C Fetch Metadata), but not
 * over plain HTTP to another machine; there they send Origin, or for a GET the Referer.
 */
export function isSameOrigin({ host, origin, referer, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site === 'same-origin';
  const page = origin ?? referer;
  return page !== undefined && host !== undefined && URL.parse(page)?.host === host;
}

/** Returns the header that gives a browser its session; a browser forgets the cookie after `seconds`, so 0 removes it. */
export function makeSessionCookie(token: string, { secure, seconds }: { secure: boolean; seconds: number }): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${seconds}`, ...(secure ? ['Secure'] : [])];
  return [`${COOKIE}=${token}`, ...attributes].join('; ');
}
