/** Addresses that no tenant may reach, and the ways to hide them in URLs. */
import { createRandom } from './random.ts';

/** The special-purpose address registries, multicast and reserved space; IPv6 outside 2000::/3 has one entry for each well-known use. */
export const SPECIAL = [
  ['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ['192.0.0.0/29', '192.0.0.8/32', '192.0.0.9/32', '192.0.0.10/32', '192.0.0.170/31', '192.0.2.0/24'],
  ['192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15'],
  ['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '255.255.255.255/32', '168.63.129.16/32'],
  [
    '::/8',
    '100::/8',
    '::/128',
    '::1/128',
    '::/96',
    '::ffff:0:0:0/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '100:0:0:1::/64',
  ],
  ['2001::/23', '2001::/32', '2001:1::1/128', '2001:2::/48', '2001:3::/32', '2001:10::/28', '2001:20::/28'],
  ['2001:30::/28', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '5f00::/16', 'fc00::/7'],
  ['fe80::/10', 'fec0::/10', 'ff00::/8', '200::/7', '400::/6', '800::/5', '1000::/4', '4000::/3', '6000::/3'],
  ['8000::/3', 'a000::/3', 'c000::/3', 'e000::/4', 'f000::/5', 'f800::/6', 'fe00::/9'],
].flat();

export interface Range {
  family: 4 | 6;
  first: bigint;
  last: bigint;
}

/** Parses a CIDR in another way than the address guard does, so that this test does not repeat a mistake of the guard. */
export function parseRange(cidr: string): Range {
  const [address = '', bits = '0'] = cidr.split('/');
  if (!address.includes(':')) {
    const first = address.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    return { family: 4, first, last: first + 2n ** BigInt(32 - Number(bits)) - 1n };
  }
  const missing = 9 - address.split(':').filter((group) => group !== '').length;
  const full = address.replace('::', `:${'0:'.repeat(missing - 1)}`).replace(/^:|:$/g, '');
  const first = full.split(':').reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
  return { family: 6, first, last: first + 2n ** BigInt(128 - Number(bits)) - 1n };
}

export function formatAddress(family: 4 | 6, number: bigint): string {
  const [parts, size, radix] = family === 4 ? [4, 8n, 10] : [8, 16n, 16];
  const part = (index: number) => (number >> (BigInt(parts - 1 - index) * size)) & ((1n << size) - 1n);
  return Array.from({ length: parts }, (_, index) => part(index).toString(radix)).join(family === 4 ? '.' : ':');
}

/** Returns every common way to hide one IPv4 address in the host of a URL. */
export function listSpellings(number: bigint): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = formatAddress(4, number).split('.').map(Number);
  const hex = (value: number | bigint) => `0x${value.toString(16)}`;
  const octal = (value: number | bigint) => `0${value.toString(8)}`;
  const high = ((a << 8) | b).toString(16);
  const low = ((c << 8) | d).toString(16);
  const dotted = `${a}.${b}.${c}.${d}`;
  const plain = [dotted, `${dotted}.`, `${number}`, hex(number), octal(number), `${a}.${(b << 16) | (c << 8) | d}`];
  const mixed = [`${a}.${b}.${(c << 8) | d}`, [a, b, c, d].map(hex).join('.'), [a, b, c, d].map(octal).join('.')];
  const escaped = [dotted.replace(/\d/g, (digit) => `%3${digit}`), dotted.replaceAll('.', '。')];
  const wide = dotted.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  const mapped = [`[::ffff:${dotted}]`, `[::ffff:${high}:${low}]`, `[0:0:0:0:0:FFFF:${high}:${low}]`, `[::${dotted}]`];
  const tunnelled = [
    `[::ffff:0:${dotted}]`,
    `[64:ff9b::${dotted}]`,
    `[64:ff9b:1::${dotted}]`,
    `[2002:${high}:${low}::]`,
  ];
  const teredo = `[2001:0:808:808:0:0:${(~number & 0xffffn).toString(16)}:${((~number >> 16n) & 0xffffn).toString(16)}]`;
  return [...plain, ...mixed, ...escaped, wide, ...mapped, ...tunnelled, teredo];
}

/** Returns a function that makes random numbers of any width, from a seed. */
export function createRandomBits(seed: number): (bits: number) => bigint {
  const next = createRandom(seed);
  return (bits) => {
    let number = 0n;
    for (let have = 0; have < bits; have += 32) number = (number << 32n) | BigInt(Math.floor(next() * 4_294_967_296));
    return number & ((1n << BigInt(bits)) - 1n);
  };
}
