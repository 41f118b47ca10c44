/**
 * Which addresses a tenant may make this process dial, and the dial that holds to it. Everything that is not plain
 * public Internet is blocked: IPv4 by its special blocks, IPv6 by the reverse rule that only global unicast (2000::/3)
 * is open, less its special parts.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, connect as connectTcp, isIP, isIPv4, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

interface Prefix {
  family: 4 | 6;
  /** The first address as a number; the bits behind `length` are zero. */
  base: bigint;
  length: number;
}

export interface AddressGuard {
  /** For the socket: holds what is blocked, after `allow` was taken out. */
  blockList: BlockList;
  /** True for an IP literal (without brackets) that must not be dialled. */
  blocks(address: string): boolean;
  /** True for an IP literal that lies inside `allow`. */
  allows(address: string): boolean;
}

/** Written once more in the test, from the registry, so that a line lost here is noticed. */
const BLOCKED_V4 = [
  '0.0.0.0/8', // this network; Linux dials 0.0.0.0 as loopback
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier NAT, and one cloud's metadata address
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // public by number, yet one cloud's host agent answers there, inside only
  '169.254.0.0/16', // link-local, most clouds' metadata address
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112 sink
  '192.52.193.0/24', // multicast relay anycast
  '192.88.99.0/24', // 6to4 relay, deprecated
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112 sink
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

const GLOBAL_UNICAST_V6 = '2000::/3';

const BLOCKED_GLOBAL_V6 = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: carries any IPv4 address inside
  '2620:4f:8000::/48', // AS112 sink
  '3fff::/20', // documentation
];

/**
 * BlockList compares an IPv4 address with IPv6 rules as ::ffff:a.b.c.d, so an IPv6 rule that covers this block would
 * block all of IPv4. No rule may touch it; a mapped literal is compared with the IPv4 rules instead.
 */
const MAPPED: Prefix = { family: 6, base: 0xffffn << 32n, length: 96 };

const EVERYTHING_V6: Prefix = { family: 6, base: 0n, length: 0 };

/**
 * Builds the guard. `allow` are CIDRs or plain addresses that are exempt; BlockList knows no exemption, so they are cut
 * out of the blocked prefixes. This machine's own addresses are blocked too, also those that are public.
 * Throws an Error that names the entry when one is not a CIDR.
 */
export function createAddressGuard(allow: string[], own: string[] = ownAddresses()): AddressGuard {
  const allowed = allow.map(parsePrefix);
  const open = [parsePrefix(GLOBAL_UNICAST_V6), MAPPED];
  const blocked = [
    ...without([EVERYTHING_V6], open),
    ...[...BLOCKED_V4, ...BLOCKED_GLOBAL_V6, ...own].map(parsePrefix),
  ];
  const blockList = new BlockList();
  for (const prefix of without(blocked, allowed)) addTo(blockList, prefix);
  const allowList = new BlockList();
  // Without the mapped block for the reason above: `::/0` allows IPv6, not IPv4.
  for (const prefix of without(allowed, [MAPPED])) addTo(allowList, prefix);
  return {
    blockList,
    blocks: (address) => blockList.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'),
    allows: (address) => isIP(address) !== 0 && allowList.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'),
  };
}

function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  // A link-local address may carry its interface (`%eth0`); the rules above block it whatever the interface.
  return all.map(({ address }) => address).filter((address) => !address.includes('%'));
}

function without(prefixes: Prefix[], holes: Prefix[]): Prefix[] {
  return holes.reduce((rest, hole) => rest.flatMap((prefix) => subtract(prefix, hole)), prefixes);
}

/** What is left of `prefix` when `hole` is cut out, as prefixes: at most one for each bit by which the hole is longer. */
function subtract(prefix: Prefix, hole: Prefix): Prefix[] {
  if (contains(hole, prefix)) return [];
  if (!contains(prefix, hole)) return [prefix];
  const length = prefix.length + 1;
  const upper = prefix.base | (1n << BigInt(width(prefix) - length));
  return [...subtract({ ...prefix, length }, hole), ...subtract({ ...prefix, base: upper, length }, hole)];
}

function contains(outer: Prefix, inner: Prefix): boolean {
  if (outer.family !== inner.family || outer.length > inner.length) return false;
  const shift = BigInt(width(outer) - outer.length);
  return outer.base >> shift === inner.base >> shift;
}

function width({ family }: { family: 4 | 6 }): number {
  return family === 4 ? 32 : 128;
}

function parsePrefix(text: string): Prefix {
  const [address = '', bits, ...rest] = text.trim().split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  const full = version === 4 ? 32 : 128;
  const length = bits === undefined ? full : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (version === 0 || rest.length > 0 || length < 0 || length > full) {
    throw new Error(`"${text}" is neither an IP address nor a CIDR such as 10.0.0.0/8 or fd00::/8`);
  }
  const number = version === 4 ? parseV4(address) : parseV6(address);
  const shift = BigInt(full - length);
  const prefix: Prefix = { family: version === 4 ? 4 : 6, base: (number >> shift) << shift, length };
  // A mapped prefix means IPv4: written so, it would never match (see MAPPED).
  if (contains(MAPPED, prefix)) return { family: 4, base: prefix.base & 0xffff_ffffn, length: length - 96 };
  return prefix;
}

function parseV4(address: string): bigint {
  return address.split('.').reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function parseV6(address: string): bigint {
  // The URL parser writes every form out in hexadecimal groups, a dotted tail included.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

function addTo(list: BlockList, { family, base, length }: Prefix): void {
  if (family === 4) {
    const bytes = [24n, 16n, 8n, 0n].map((shift) => (base >> shift) & 0xffn);
    list.addSubnet(bytes.join('.'), length, 'ipv4');
    return;
  }
  const groups = Array.from({ length: 8 }, (_, index) => ((base >> BigInt(112 - index * 16)) & 0xffffn).toString(16));
  list.addSubnet(groups.join(':'), length, 'ipv6');
}

/** What browsers and proxies pass on; a longer one is a mistake or an attack. */
const MAX_URL_LENGTH = 2048;
/** Below it live mail, SSH, databases' neighbours and other protocols that a forged request could talk to. */
const FIRST_USER_PORT = 1024;
/** A save must not hang on a tenant's name server. */
const REFUSE_LOOKUP_MS = 1000;

export const NOT_PUBLIC = 'The host is not a public Internet address.';

type UrlVerdict = { url: URL; wrong: null; skipsGuard: boolean } | { url: null; wrong: string; skipsGuard: false };

/** The rules that need no network. The URL parser has by then written every spelling of an IPv4 host as a.b.c.d. */
function examineUrl(text: string, guard: AddressGuard, trusted: readonly URL[]): UrlVerdict {
  const refused = (wrong: string): UrlVerdict => ({ url: null, wrong, skipsGuard: false });
  if (text.length > MAX_URL_LENGTH) return refused(`The URL is longer than ${MAX_URL_LENGTH} characters.`);
  const url = URL.parse(text);
  if (url === null) return refused('This is not a valid URL.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('The URL must begin with https or http.');
  if (url.username !== '' || url.password !== '') return refused('The URL must not contain a user name or password.');
  const place = trusted.find((each) => isSameServer(url, each));
  if (place && !isBelow(url, place)) return refused(`Of this server only ${place.pathname} may be called.`);
  const skipsGuard = place?.origin === url.origin;
  // An empty port is the scheme's own.
  const portIsOpen = url.port === '' || url.port === '80' || url.port === '443' || Number(url.port) >= FIRST_USER_PORT;
  if (!portIsOpen && !skipsGuard && !guard.allows(bareHost(url))) {
    return refused('The port must be 80, 443, or 1024 and above.');
  }
  return { url, wrong: null, skipsGuard };
}

/** Addresses whose verdict is remembered: it hangs on their text alone, and deliveries ask for the same ones again and again. */
const KNOWN_URLS = 1_000;

/** Examines URLs, and remembers the verdicts. */
export function createExaminer(guard: AddressGuard, trusted: readonly URL[]): (text: string) => UrlVerdict {
  const verdicts = new Map<string, UrlVerdict>();
  return (text) => {
    const known = verdicts.get(text);
    if (known) return known;
    const verdict = examineUrl(text, guard, trusted);
    if (verdicts.size >= KNOWN_URLS) verdicts.clear();
    if (text.length <= MAX_URL_LENGTH) verdicts.set(text, verdict);
    return verdict;
  };
}

/** Also under another of the names that a machine has for itself. */
function isSameServer(url: URL, trusted: URL): boolean {
  if (url.origin === trusted.origin) return true;
  return url.port === trusted.port && isOwnName(url.hostname) && isOwnName(trusted.hostname);
}

const isOwnName = (host: string): boolean =>
  /^(127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f.*\]|(.*\.)?localhost\.?)$/.test(host);

const isBelow = ({ pathname }: URL, place: URL): boolean =>
  pathname === place.pathname || pathname.startsWith(place.pathname.replace(/\/?$/, '/'));

/** Null when the URL's host may be dialled, as far as that is known now; else one sentence, which tells no address. */
export async function refuseHost(url: URL, guard: AddressGuard): Promise<string | null> {
  const host = bareHost(url);
  if (isIP(host) !== 0) return guard.blocks(host) ? NOT_PUBLIC : null;
  // Names under localhost are loopback whatever a resolver says. One allowed family is enough: the dial skips the other.
  if (/(^|\.)localhost\.?$/.test(host)) return guard.blocks('127.0.0.1') && guard.blocks('::1') ? NOT_PUBLIC : null;
  // A name that does not resolve now is accepted: name servers fail and recover, and each attempt is guarded anyway.
  return (await lookUp(host)).some(guard.blocks) ? NOT_PUBLIC : null;
}

/** Without the brackets of an IPv6 literal. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

async function lookUp(host: string): Promise<string[]> {
  const timer = new AbortController();
  const late = sleep(REFUSE_LOOKUP_MS, [], { signal: timer.signal });
  // Failure policy: a name that does not resolve has no addresses, and an abandoned timer is nobody's failure.
  const found = await Promise.race([lookup(host, { all: true }).catch(() => []), late.catch(() => [])]);
  timer.abort();
  return found.map(({ address }) => address);
}

/** The caller's signal is the clock. This ends only a dial that outlived its caller, which no signal reaches. */
const DIAL_MS = 10_000;

export type DialStage = 'TCP' | 'TLS';

/** As undici names it: `port` is empty when it is the scheme's own. */
interface DialTarget {
  hostname: string;
  port: string;
  protocol: string;
}

/**
 * Connects, and reports the socket or the error once. TCP and TLS are two steps because tls.connect() ignores
 * `blockList`: only net.connect() compares the resolved addresses, and skips each that is blocked. Returns what abandons the dial.
 */
export function dial(
  { hostname, port, protocol }: DialTarget,
  blockList: BlockList | undefined,
  report: (result: Socket | Error, stage: DialStage) => void,
): () => void {
  let stage: DialStage = 'TCP';
  let settled = false;
  const settle = (result: Socket | Error) => {
    // Failure policy: what fails after the dial is undici's to handle; listening here keeps it from being unhandled.
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    report(result, stage);
  };
  let socket = connectTcp({
    host: hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    noDelay: true,
    keepAlive: true,
    ...(blockList && { blockList }),
  });
  const abandon = () => {
    if (!settled) socket.destroy(new Error('the dial was abandoned'));
  };
  const timer = setTimeout(abandon, DIAL_MS);
  const onClose = () => settle(new Error('the connection closed before it was established'));
  socket.on('error', settle).once('close', onClose);
  socket.once('connect', () => {
    if (protocol !== 'https:') return settle(socket);
    stage = 'TLS';
    socket = connectTls({
      socket,
      host: hostname,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
      ...(isIP(hostname) === 0 && { servername: hostname }),
    });
    socket.on('error', settle).once('close', onClose);
    socket.once('secureConnect', () => settle(socket));
  });
  return abandon;
}
