/** The addresses to which clients have users sent back with a code. */
import { declareLimit } from '../../platform/values/limits.ts';

const MAX_ADDRESS = declareLimit(500, {
  topic: 'MCP',
  what: 'Redirect URI of an OAuth client',
  unit: 'characters',
  beyond: '400',
});

// Only what every reader of addresses takes for the same host: no user, no backslash, no fragment.
const ADDRESS = /^https?:\/\/(?:[a-zA-Z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?(?:[/?][!-"$-[\]^-~]*)?$/;
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;

/** Returns whether a client may have users sent to this address: by HTTPS, or to a program on their own computer. */
export const isRedirectUri = (address: unknown): address is string =>
  typeof address === 'string' &&
  address.length <= MAX_ADDRESS &&
  ADDRESS.test(address) &&
  URL.canParse(address) &&
  (address.startsWith('https:') || LOOPBACK.test(address));

/** A program listens on a port that it gets when it starts (RFC 8252), so on this computer any port is right. All else is exact. */
const withoutPort = (address: string): string => address.replace(LOOPBACK, '$1');

export const isRegistered = (address: string, registered: readonly string[]): boolean =>
  isRedirectUri(address) && registered.some((each) => withoutPort(each) === withoutPort(address));

/** Returns the address with the answer to a request. */
export function answerAt(address: string, answer: Record<string, string | null>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(answer)) if (value !== null) url.searchParams.append(name, value);
  return url.href;
}
