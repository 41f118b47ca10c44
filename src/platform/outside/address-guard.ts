/**
 * Decides which addresses a tenant may make this process connect to. Everything that is not the public Internet is blocked: of IPv4 a list
 * of special blocks, of IPv6 everything except global unicast (2000::/3), and of that its special parts.
 */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { toUrlHost, type MailServer } from './mail-server.ts';
import type { Names } from './names.ts';
import { NOT_PUBLIC } from './outbound-error.ts';
import { declareLimit } from '../values/limits.ts';

interface Prefix {
  family: 4 | 6;
  /** The first address of the block as a number; all bits after the first `length` bits are zero. */
  base: bigint;
  length: number;
}

export interface AddressGuard {
  /** The blocked addresses without the allowed ones, in the form that sockets take. */
  blockList: BlockList;
  /** True for an IP address (without brackets) that tenants must not connect to. */
  blocks(address: string): boolean;
  /** True for an IP address that lies inside `allow`. */
  allows(address: string): boolean;
}

/** The blocked IPv4 blocks. The test has its own copy of this list, taken from the IANA registry, so that a lost line is noticed. */
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
 * The block of IPv4 addresses written as IPv6 (::ffff:a.b.c.d). Node's BlockList compares each IPv4 address with the IPv6 rules in this
 * form, so an IPv6 rule over this block would block all of IPv4. No rule may contain it; Node compares such addresses with the IPv4 rules.
 */
const MAPPED: Prefix = { family: 6, base: 0xffffn << 32n, length: 96 };

const EVERYTHING_V6: Prefix = { family: 6, base: 0n, length: 0 };

/**
 * Builds the guard. `allow` lists CIDRs or addresses that are exempt. Node's BlockList has no exemptions, so they are cut out of the
 * blocked prefixes. The addresses of this machine (`own`) are blocked, too, even public ones. Throws an Error that names an entry which is
 * not a CIDR.
 */
export function createAddressGuard(allow: string[], own: string[] = listOwnAddresses()): AddressGuard {
  const allowed = allow.map(parsePrefix);
  const open = [parsePrefix(GLOBAL_UNICAST_V6), MAPPED];
  const blocked = [
    ...removePrefixes([EVERYTHING_V6], open),
    ...[...BLOCKED_V4, ...BLOCKED_GLOBAL_V6, ...own].map(parsePrefix),
  ];
  const blockList = new BlockList();
  for (const prefix of removePrefixes(blocked, allowed)) addToBlockList(blockList, prefix);
  const allowList = new BlockList();
  // The block MAPPED is left out, so that `::/0` allows all of IPv6, but not IPv4.
  for (const prefix of removePrefixes(allowed, [MAPPED])) addToBlockList(allowList, prefix);
  return {
    blockList,
    blocks: (address) => blockList.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'),
    allows: (address) => isIP(address) !== 0 && allowList.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'),
  };
}

function listOwnAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  // Link-local addresses name their interface (`%eth0`), which a CIDR cannot; the rules above block all of them anyway.
  return all.map(({ address }) => address).filter((address) => !address.includes('%'));
}

function removePrefixes(prefixes: Prefix[], holes: Prefix[]): Prefix[] {
  return holes.reduce((rest, hole) => rest.flatMap((prefix) => subtractPrefix(prefix, hole)), prefixes);
}

/** Cuts `hole` out of `prefix` and returns the rest as prefixes: at most one for each bit by which `hole` is longer. */
function subtractPrefix(prefix: Prefix, hole: Prefix): Prefix[] {
  if (prefixContains(hole, prefix)) return [];
  if (!prefixContains(prefix, hole)) return [prefix];
  const length = prefix.length + 1;
  const upper = prefix.base | (1n << BigInt(addressBits(prefix) - length));
  return [...subtractPrefix({ ...prefix, length }, hole), ...subtractPrefix({ ...prefix, base: upper, length }, hole)];
}

function prefixContains(outer: Prefix, inner: Prefix): boolean {
  if (outer.family !== inner.family || outer.length > inner.length) return false;
  const shift = BigInt(addressBits(outer) - outer.length);
  return outer.base >> shift === inner.base >> shift;
}

function addressBits({ family }: { family: 4 | 6 }): number {
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
  const number = version === 4 ? parseIpv4(address) : parseIpv6(address);
  const shift = BigInt(full - length);
  const prefix: Prefix = { family: version === 4 ? 4 : 6, base: (number >> shift) << shift, length };
  // An IPv4 prefix in IPv6 form is converted, because it would never match as it is (see MAPPED).
  if (prefixContains(MAPPED, prefix)) return { family: 4, base: prefix.base & 0xffff_ffffn, length: length - 96 };
  return prefix;
}

function parseIpv4(address: string): bigint {
  return address.split('.').reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function parseIpv6(address: string): bigint {
  // The URL parser converts every spelling of an IPv6 address to hexadecimal groups, also one that ends in an IPv4 address.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

function addToBlockList(list: BlockList, { family, base, length }: Prefix): void {
  if (family === 4) {
    const bytes = [24n, 16n, 8n, 0n].map((shift) => (base >> shift) & 0xffn);
    list.addSubnet(bytes.join('.'), length, 'ipv4');
    return;
  }
  const groups = Array.from({ length: 8 }, (_, index) => ((base >> BigInt(112 - index * 16)) & 0xffffn).toString(16));
  list.addSubnet(groups.join(':'), length, 'ipv6');
}

/** The longest URL that is accepted: browsers and proxies forward URLs of this length; a longer one is a mistake or an attack. */
const MAX_URL_LENGTH = declareLimit(2048, {
  topic: 'Networks',
  what: 'URL',
  unit: 'characters',
  beyond: '400',
});
/** All ports from this one on are accepted. Below it are mail, SSH and other services that a forged HTTP request could reach. */
const FIRST_USER_PORT = 1024;
/** How long saving a URL waits for the name server of its host, which a tenant may control. */
const REFUSE_LOOKUP_MS = declareLimit(1000, {
  topic: 'Networks',
  what: 'Name look-up when a URL is saved',
  unit: 'ms',
  beyond: 'saved without this check',
});

type UrlVerdict = { url: URL; wrong: null; skipsGuard: boolean } | { url: null; wrong: string; skipsGuard: false };

/** Checks a URL by the rules that need no network. The URL parser has converted every spelling of an IPv4 host to a.b.c.d before. */
function examineUrl(text: string, guard: AddressGuard, trusted: readonly URL[]): UrlVerdict {
  const refused = (wrong: string): UrlVerdict => ({ url: null, wrong, skipsGuard: false });
  if (text.length > MAX_URL_LENGTH) return refused(`The URL is longer than ${MAX_URL_LENGTH} characters.`);
  const url = URL.parse(text);
  if (url === null) return refused('This is not a valid URL.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('The URL must start with https or http.');
  if (url.username !== '' || url.password !== '') return refused('The URL must not contain a user name or password.');
  const places = trusted.filter((each) => isSameServer(url, each));
  const place = places.find((each) => isPathBelow(url, each));
  if (places.length > 0 && !place)
    return refused(`Of this server only ${places.map(({ pathname }) => pathname).join(' and ')} may be called.`);
  const skipsGuard = place?.origin === url.origin;
  // The port is empty when it is the default port of the scheme.
  const portIsOpen = url.port === '' || url.port === '80' || url.port === '443' || Number(url.port) >= FIRST_USER_PORT;
  if (!portIsOpen && !skipsGuard && !guard.allows(withoutBrackets(url))) {
    return refused('The port must be 80, 443, or 1024 and above.');
  }
  return { url, wrong: null, skipsGuard };
}

/** Mail is submitted and read at these ports; the others below FIRST_USER_PORT stay closed. */
const MAIL_PORTS = [25, 143, 465, 587, 993];
/** The most characters of a host name. */
const MAX_HOST_LENGTH = declareLimit(253, {
  topic: 'Networks',
  what: 'Host name of a mail server',
  unit: 'characters',
  beyond: '400',
});

type ServerVerdict = { host: string; wrong: null } | { host: null; wrong: string };

/** Checks the address of a mail server by the rules that need no network. Returns the host as the URL parser spells it. */
export function examineServer(
  host: string,
  port: number,
  { guard, trusted }: { guard: AddressGuard; trusted: readonly URL[] },
): ServerVerdict {
  const refused = (wrong: string): ServerVerdict => ({ host: null, wrong });
  // A host with any of these characters would be another part of the URL, such as a user name or a path.
  const isName = host.length <= MAX_HOST_LENGTH && /^[^\s/?#@\\:[\]]+$/.test(host);
  const url = isName || isIPv6(host) ? URL.parse(`http://${isName ? host : `[${host}]`}:${port}/`) : null;
  if (url === null) return refused('This is not a valid host and port.');
  if (trusted.some((each) => isSameServer(url, each))) return refused('Connections to this server are not allowed.');
  const portIsOpen = MAIL_PORTS.includes(port) || port >= FIRST_USER_PORT;
  if (!portIsOpen && !guard.allows(withoutBrackets(url))) {
    return refused(`The port must be ${MAIL_PORTS.join(', ')}, or ${FIRST_USER_PORT} and above.`);
  }
  return { host: withoutBrackets(url), wrong: null };
}

/** The number of remembered verdicts about URLs, because deliveries use the same URLs again and again. */
const KNOWN_URLS = 1_000;

/** Returns a function that examines URLs and remembers the verdicts. */
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

/** Returns true when the URL leads to the same server as the trusted URL, even by another name for this machine, such as localhost. */
function isSameServer(url: URL, trusted: URL): boolean {
  if (url.origin === trusted.origin) return true;
  return url.port === trusted.port && isNameOfThisHost(url.hostname) && isNameOfThisHost(trusted.hostname);
}

const isNameOfThisHost = (host: string): boolean =>
  /^(127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f.*\]|(.*\.)?localhost\.?)$/.test(host);

const isPathBelow = ({ pathname }: URL, place: URL): boolean =>
  pathname === place.pathname || pathname.startsWith(place.pathname.replace(/\/?$/, '/'));

/** Resolves the host of the URL. Returns null when no blocked address is found for it, else one sentence that contains no address. */
export async function findHostFault(url: URL, guard: AddressGuard, names: Pick<Names, 'find'>): Promise<string | null> {
  const host = withoutBrackets(url);
  if (isIP(host) !== 0) return guard.blocks(host) ? NOT_PUBLIC : null;
  // Names that end in localhost mean loopback. One allowed family is enough, because a connection skips blocked addresses.
  if (/(^|\.)localhost\.?$/.test(host)) return guard.blocks('127.0.0.1') && guard.blocks('::1') ? NOT_PUBLIC : null;
  // A name that does not resolve now is accepted: name servers fail and recover, and every connection is checked again anyway.
  return (await findSoon(names, host)).some(guard.blocks) ? NOT_PUBLIC : null;
}

/** The same for the address of a mail server. */
export async function findServerFault(
  { host, port }: MailServer,
  { names, ...rules }: { guard: AddressGuard; trusted: readonly URL[]; names: Pick<Names, 'find'> },
): Promise<string | null> {
  const server = examineServer(host, port, rules);
  return server.wrong ?? findHostFault(new URL(`http://${toUrlHost(server.host)}/`), rules.guard, names);
}

/** Returns the host of the URL without the brackets around an IPv6 address. */
function withoutBrackets(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Failure policy: a name that does not resolve, or not in time, has no addresses. */
async function findSoon(names: Pick<Names, 'find'>, host: string): Promise<string[]> {
  const timer = new AbortController();
  const late = sleep(REFUSE_LOOKUP_MS, [], { signal: timer.signal });
  const found = await Promise.race([names.find(host).catch(() => []), late.catch(() => [])]);
  timer.abort();
  return found;
}
