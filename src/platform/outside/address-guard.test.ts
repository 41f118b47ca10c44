import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { readSeed } from '../../../test/full/harness/chance.ts';
import {
  createRandomBits,
  parseRange,
  SPECIAL,
  listSpellings,
  formatAddress,
  type Range,
} from '../../../test/support/addresses.ts';
import { createAddressGuard } from './address-guard.ts';
import { OutboundError } from './outbound-error.ts';
import { createOutbound, type Outbound } from './outbound.ts';

/** Public addresses directly before and after the blocked ranges, which show whether the guard blocks too much. */
const PUBLIC = [
  ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0'],
  ['192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '203.0.112.255', '223.255.255.255'],
  ['::ffff:8.8.8.8', '2000::', '2001:200::', '2001:db7:ffff::', '2001:db9::', '2001:ffff::', '2003::', '2606:4700::1'],
  ['2a00:1450::1', '2620:4f:7fff::', '2620:4f:8001::', '3ffe:ffff::', '3fff:1000::'],
].flat();

const LOOPBACK = 0x7f000001n;

function hostileUrls(port: number): string[] {
  const edges = SPECIAL.map(parseRange).flatMap(({ family, first, last }) =>
    [first, last].flatMap((edge) => (family === 4 ? listSpellings(edge) : `[${formatAddress(6, edge)}]`)),
  );
  const loopback = ['0', '0x0', '127.1', '0x7f.1', '0177.1', '127.127.127.127', '[::]', '[::1]', '[0:0:0:0:0:0:0:1]'];
  const names = ['localhost', 'LOCALHOST', 'lOcAlHoSt', '%6cocalhost', 'ｌocalhost'];
  const hosts = [
    ...edges,
    ...loopback,
    ...listSpellings(LOOPBACK),
    ...names,
    '[fec0::1]',
    '[fe80::1]',
    '[fd00:ec2::254]',
  ];
  const here = `127.0.0.1:${port}`;
  const schemes =
    'file:///etc/passwd gopher://X/ ftp://X/ data:,x blob:http://X/ ws://X/ unix:/run/x javascript:1 jar:http://X!/';
  const forms =
    '//X/ http:X http:\\\\X http:/X http:///X http://u@X/ http://8.8.8.8@X/ http://X#@8.8.8.8/ http://X\\@8.8.8.8/';
  const credentials = 'http://user:word@8.8.8.8/ http://:x@8.8.8.8/ http://user@8.8.8.8/';
  const ports = 'http://8.8.8.8:22/ http://8.8.8.8:25/ http://8.8.8.8:0/ https://8.8.8.8:1023/ http://8.8.8.8:65536/';
  const malformed = 'http:// http:/// x http://[fe80::1%25eth0]/ http://1.2.3.4.5/ http://999.1.1.1/';
  return [
    ...hosts.flatMap((host) => [`http://${host}:${port}/`, `https://${host}:${port}/x`]),
    ...[schemes, forms, credentials, ports, malformed].join(' ').replaceAll('X', here).split(' '),
    ` http://${here} `,
    `ht\ntp://${here}/`,
    `http://8.8.8.8/${'a'.repeat(2048)}`,
    '',
  ];
}

/** Opens a server that counts connections. Null when the machine does not have this address. */
async function openCanary(
  context: TestContext,
  host: string,
  port: number,
): Promise<{ port: number; seen(): number } | null> {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  server.listen(port, host);
  // Failure policy: on a machine without IPv6 the address [::1] cannot be watched; the test reports that and goes on.
  const listening = await once(server, 'listening').catch(() => null);
  if (listening === null) return null;
  context.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, seen: () => connections };
}

async function outcome(outbound: Outbound, url: string): Promise<OutboundError | number> {
  const request = { method: 'GET', url, signal: AbortSignal.timeout(600_000), maxBytes: 16 } as const;
  try {
    return (await outbound.tenant(request)).status;
  } catch (error) {
    assert.ok(error instanceof OutboundError, String(error));
    return error;
  }
}

function open(context: TestContext, allow: string[], trusted: string[] = []): Outbound {
  const outbound = createOutbound({ allow, trusted });
  context.after(() => outbound.close());
  return outbound;
}

describe('the address guard', () => {
  test('the address guard blocks the first and the last address of every special block, and none of their public neighbours (defect 8)', () => {
    const guard = createAddressGuard([], []);
    for (const { family, first, last } of SPECIAL.map(parseRange)) {
      for (const edge of [first, last])
        assert.ok(guard.blocks(formatAddress(family, edge)), formatAddress(family, edge));
    }
    for (const address of PUBLIC) assert.ok(!guard.blocks(address), address);
  });

  test('the address guard blocks an address exactly when it is in a special block and not allowed (random prefixes and addresses)', (context) => {
    const seed = readSeed();
    context.diagnostic(`SEED=${seed}`);
    const random = createRandomBits(seed);
    const special = SPECIAL.map(parseRange);
    const contains = (ranges: Range[], family: 4 | 6, number: bigint) =>
      ranges.some((range) => range.family === family && range.first <= number && number <= range.last);
    for (let round = 0; round < 60; round += 1) {
      const allow = Array.from({ length: 1 + (round % 5) }, () => {
        const { family, first, last } = special[Number(random(16) % BigInt(special.length))]!;
        const width = family === 4 ? 32 : 128;
        const length = Number(random(16) % BigInt(width + 1));
        const inside = first + (random(128) % (last - first + 1n));
        // The prefix may contain host bits: 10.1.2.3/8 means 10.0.0.0/8.
        return { text: `${formatAddress(family, inside)}/${length}`, family, length, width, inside };
      });
      const allowed = allow.map(({ family, length, width, inside }): Range => {
        const size = 1n << BigInt(width - length);
        return { family, first: inside - (inside % size), last: inside - (inside % size) + size - 1n };
      });
      const guard = createAddressGuard(
        allow.map(({ text }) => text),
        [],
      );
      const near = [...allowed, ...special].flatMap(({ family, first, last }) =>
        [first - 1n, first, last, last + 1n, first + (random(128) % (last - first + 1n))].map((number) => ({
          family,
          number,
        })),
      );
      const far = Array.from({ length: 50 }, () => ({ family: 6 as const, number: random(128) }));
      for (const { family, number } of [...near, ...far]) {
        const isMapped = family === 6 && number >> 32n === 0xffffn;
        if (number < 0n || number >= 1n << (family === 4 ? 32n : 128n) || isMapped) continue;
        const expected = contains(special, family, number) && !contains(allowed, family, number);
        const shown = `${formatAddress(family, number)} with ${allow.map(({ text }) => text).join(' ')}`;
        assert.equal(guard.blocks(formatAddress(family, number)), expected, shown);
        if (family === 4) assert.equal(guard.blocks(`::ffff:${formatAddress(4, number)}`), expected, `mapped ${shown}`);
      }
    }
  });

  test("the address guard blocks the machine's own public addresses unless they are allowed", () => {
    const own = ['198.41.0.4', '2606:4700::5'];
    assert.deepEqual(own.map(createAddressGuard([], own).blocks), [true, true]);
    assert.deepEqual(own.map(createAddressGuard(['198.41.0.0/16', '2606:4700::5'], own).blocks), [false, false]);
  });

  test('an entry of `allow` that is not a CIDR is named in the error', () => {
    for (const wrong of [
      '10.0.0.0/33',
      '10.0.0/8',
      'fd00::/129',
      'localhost',
      '10.0.0.0/',
      '1.2.3.4/8/8',
      'fe80::1%lo',
      '',
      '::/-1',
    ]) {
      assert.throws(() => createAddressGuard([wrong]), { message: new RegExp(`^"${wrong}" is neither`) });
    }
  });
});

describe('a hostile URL', () => {
  test('a hostile URL is refused in every spelling, both when it is saved and when it is called, and no connection is made (defect 7)', async (context) => {
    const canary = await openCanary(context, '127.0.0.1', 0);
    assert.ok(canary);
    const canary6 = await openCanary(context, '::1', canary.port);
    if (canary6 === null) context.diagnostic('no IPv6 loopback here: [::1] was not watched');
    const outbound = open(context, []);
    const urls = hostileUrls(canary.port);
    context.diagnostic(`${urls.length} URLs`);
    assert.ok(urls.length >= 200);
    for (const url of urls) {
      assert.notEqual(await outbound.refuse(url), null, url);
      const error = await outcome(outbound, url);
      assert.ok(error instanceof OutboundError && error.kind === 'BLOCKED' && !error.sent, `${url}: ${String(error)}`);
    }
    assert.equal(canary.seen(), 0);
    assert.equal(canary6?.seen() ?? 0, 0);
  });

  test('the spellings of a loopback URL that are refused by default connect once loopback is allowed', async (context) => {
    const canary = await openCanary(context, '127.0.0.1', 0);
    assert.ok(canary);
    const outbound = open(context, ['127.0.0.1']);
    const direct = listSpellings(LOOPBACK).filter((host) => !/^\[(::127|::ffff:0:127|64:|2002:|2001:)/.test(host));
    for (const host of direct) {
      const url: string = `http://${host}:${canary.port}/`;
      assert.equal(await outbound.refuse(url), null, url);
      assert.equal(await outcome(outbound, url), 200, url);
    }
    assert.equal(canary.seen(), direct.length);
  });

  test('unusual ports may be called at allowed addresses and trusted origins only', async (context) => {
    const trusted = 'http://127.0.0.1:81';
    const outbound = open(context, ['10.0.0.0/8'], [`${trusted}/`]);
    assert.equal(await outbound.refuse('http://10.1.2.3:22/'), null);
    assert.equal(await outbound.refuse(`${trusted}/hook`), null);
    for (const url of [
      'http://127.0.0.1:82/',
      'https://127.0.0.1:81/',
      'http://localhost:81/',
      'http://a.localhost./',
    ]) {
      assert.notEqual(await outbound.refuse(url), null, url);
    }
  });
});
