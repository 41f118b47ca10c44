import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Returns true for the addresses that mean all addresses of a machine. */
export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/**
 * Returns the host by which a server can be called that listens on `host`. That is the host itself, except where a server listens on all
 * addresses: then it is the first address of this machine that other machines can call, and loopback where there is none.
 */
export function chooseReachableHost(host: string): string {
  if (!isWildcard(host)) return host;
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);
  // An IPv6 address would have to be a global one; machines that have one nearly always have an IPv4 address as well.
  return others.find(isIPv4) ?? '127.0.0.1';
}
