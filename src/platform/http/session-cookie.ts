/** The cookie by which a browser shows its session. It counts only in requests of pages from the platform's own origin. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Secrets } from '../store/secrets.ts';
import { declareLimit } from '../values/limits.ts';

const COOKIE = 'parley_session';
const TOKEN = /^[\w-]{43}$/;

/**
 * Returns the token of the session cookie; null when there is none, or when the request does not come from a page of the platform itself.
 */
export function readSessionCookie(headers: IncomingHttpHeaders): string | null {
  const token = readCookie(headers, COOKIE);
  return token !== undefined && TOKEN.test(token) && isSameOrigin(headers) ? token : null;
}

const readCookie = ({ cookie }: IncomingHttpHeaders, name: string): string | undefined =>
  cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

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
export const makeSessionCookie = (token: string, life: CookieLife): string => makeCookie(COOKIE, token, life);

interface CookieLife {
  secure: boolean;
  seconds: number;
}

function makeCookie(name: string, value: string, { secure, seconds }: CookieLife): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${seconds}`, ...(secure ? ['Secure'] : [])];
  return [`${name}=${value}`, ...attributes].join('; ');
}

/** Whether browsers reach the platform by https. */
export const isSecure = ({ config }: { config: { PUBLIC_URL: string } }): boolean =>
  config.PUBLIC_URL.startsWith('https:');

interface Sealing {
  secrets: Secrets;
  config: { PUBLIC_URL: string };
}

/** How long a person has for a log-in that takes several steps. */
const TICKET_SECONDS = declareLimit(600, {
  topic: 'Accounts',
  what: 'Log-in by single sign-on or a passkey, from its first step to its last',
  unit: 'seconds',
  beyond: 'begin again',
});
const LONGEST_TICKET = 4_096;

/**
 * Returns the header by which a browser keeps what a log-in of several steps has found so far. It is sealed, so that only this platform can
 * read or make it, and only this browser can go on with the log-in.
 */
export function makeTicket(kit: Sealing, name: string, value: object): string {
  const until = Date.now() + TICKET_SECONDS * 1_000;
  const sealed = kit.secrets.seal(JSON.stringify({ value, until }), `ticket:${name}`);
  return makeCookie(ticketName(name), encodeURIComponent(sealed), { secure: isSecure(kit), seconds: TICKET_SECONDS });
}

/** Returns the header by which a browser forgets its ticket. */
export const endTicket = (kit: Sealing, name: string): string =>
  makeCookie(ticketName(name), '', { secure: isSecure(kit), seconds: 0 });

const ticketName = (name: string): string => `parley_${name}`;

/** Reads the ticket of a browser; null when there is none, or when it has expired or was not made here. */
export function readTicket<T>({ secrets }: Sealing, name: string, headers: IncomingHttpHeaders): T | null {
  const sealed = readCookie(headers, ticketName(name)) ?? '';
  if (sealed === '' || sealed.length > LONGEST_TICKET || !isSameOrigin(headers)) return null;
  try {
    const { value, until } = JSON.parse(secrets.open(decodeURIComponent(sealed), `ticket:${name}`));
    return until > Date.now() ? value : null;
  } catch {
    // Failure policy: a ticket that was changed is no ticket.
    return null;
  }
}
