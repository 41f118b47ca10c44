/** The addresses of mail servers that tenants name. */
import { isIPv6 } from 'node:net';

/** The protocols, each with its usual port. With `smtps` and `imaps` TLS begins at once, `smtp` begins it by STARTTLS. */
const PORTS: ReadonlyMap<string, number> = new Map([
  ['smtp:', 587],
  ['smtps:', 465],
  ['imaps:', 993],
]);

export interface MailServer {
  /** A name or an address; IPv6 without brackets. */
  host: string;
  port: number;
  tls: boolean;
}

/** Reads the address of a mail server; null for any other URL. */
export function readMailServer(address: string): MailServer | null {
  const url = URL.parse(address);
  const usual = url && PORTS.get(url.protocol);
  if (!url || usual === undefined || usual === null) return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: url.port === '' ? usual : Number(url.port), tls: url.protocol !== 'smtp:' };
}

/** Names the server of an address, in whatever spelling. */
export function nameServer(url: string): string {
  const server = readMailServer(url);
  return server ? `${server.host.toLowerCase()}:${server.port}` : url;
}

/** Returns the host as a part of a URL. */
export const toUrlHost = (host: string): string => (isIPv6(host) ? `[${host}]` : host);
