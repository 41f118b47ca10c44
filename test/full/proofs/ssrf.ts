/**
 * Tries webhook addresses that lead to internal systems: addresses of every special block in every spelling,
 * and names whose address changes between the check and the call. No server on this machine gets a connection.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { OutboundError } from '../../../src/platform/outside/outbound-error.ts';
import { createOutbound, type Outbound } from '../../../src/platform/outside/outbound.ts';
import { parseRange, SPECIAL, listSpellings, formatAddress } from '../../support/addresses.ts';
import { startNameServer, type NameServer } from '../../support/name-server.ts';
import { waitUntil } from '../../support/wait.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { runConcurrently } from '../harness/network.ts';

export interface SsrfSize {
  urls: number;
  /** The number of names that resolve to a public address at the check, and to an internal address at the call. */
  rebinds: number;
  seed: number;
}

export interface SsrfResult {
  urls: number;
  rebinds: number;
  connections: number;
}

const LANES = 32;
const CALL_MS = 5_000;
const LOOPBACK = '127.0.0.0/8';
// Every third address belongs to 127.0.0.0/8, where the canary server listens.
const LOOPBACK_EVERY = 3;
const SEEN_AT = ['127.0.0.1', '127.5.6.7', '127.255.255.254'];
const PUBLIC = '198.41.0.4';

export async function proveSsrf({ urls, rebinds, seed }: SsrfSize): Promise<SsrfResult> {
  const chance = createChance(seed);
  const canaries = await startCanaries();
  const closing: (() => unknown)[] = [];
  const server = await startNameServer({ after: (end) => closing.push(end) });
  const outbound = createOutbound({ allow: [], trusted: [], nameServers: [server.address] });
  try {
    const hostile = Array.from({ length: urls }, (_, index) => makeHostileUrl(chance, index, canaries.port));
    await runConcurrently(LANES, hostile, async (url) => {
      assert.notEqual(await outbound.refuse(url), null, `accepted at save: ${url}`);
      await assertBlocked(outbound, url);
    });
    const port = canaries.port;
    const names = Array.from({ length: rebinds }, (_, index) => `http://rebinding-${seed}-${index}.test:${port}/`);
    await runConcurrently(LANES, names, (url) => assertRebindBlocked(outbound, server, url));
    assert.equal(canaries.seen(), 0, 'a canary server got a connection');
    return { urls, rebinds, connections: canaries.seen() };
  } finally {
    await outbound.close();
    for (const end of closing) end();
    canaries.close();
  }
}

function makeHostileUrl(chance: Chance, index: number, port: number): string {
  const { family, first, last } = parseRange(index % LOOPBACK_EVERY === 0 ? LOOPBACK : chance.pick(SPECIAL));
  const span = Number(last - first > 0xffff_ffffn ? 0xffff_ffffn : last - first);
  const number = first + BigInt(span === 0 ? 0 : chance.int(span + 1));
  const host = family === 4 ? chance.pick(listSpellings(number)) : `[${formatAddress(6, number)}]`;
  return `${chance.pick(['http', 'https'])}://${host}:${port}/${index}`;
}

async function assertBlocked(outbound: Outbound, url: string): Promise<void> {
  try {
    const { status } = await outbound.tenant({
      method: 'POST',
      url,
      body: '{}',
      signal: AbortSignal.timeout(CALL_MS),
      maxBytes: 16,
    });
    assert.fail(`${url} answered ${status}`);
  } catch (error) {
    assert.ok(error instanceof OutboundError && error.kind === 'BLOCKED' && !error.sent, `${url}: ${String(error)}`);
  }
}

/** Asserts that a name is accepted when it is saved, with a public address, and blocked when it is called, with an internal one. */
async function assertRebindBlocked(outbound: Outbound, { names }: NameServer, url: string): Promise<void> {
  const { hostname } = new URL(url);
  names.set(hostname, [PUBLIC]);
  assert.equal(await outbound.refuse(url), null, url);
  names.set(hostname, ['127.0.0.1']);
  await assertBlocked(outbound, url);
}

async function startCanaries(): Promise<{ port: number; seen(): number; close(): void }> {
  let connections = 0;
  const listen = async (host: string, port: number): Promise<Server | null> => {
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined).destroy();
    });
    server.listen({ port, host, ipv6Only: true });
    // Failure policy: a machine without IPv6 has no :: on which to listen.
    return once(server, 'listening').then(
      () => server,
      () => null,
    );
  };
  const first = await listen('0.0.0.0', 0);
  assert.ok(first);
  const { port } = first.address() as AddressInfo;
  const second = await listen('::', port);
  // The canary itself is tested first, because a canary that notices no connection would prove nothing.
  const visited = [...SEEN_AT, ...(second ? ['::1'] : [])];
  for (const host of visited) connect(port, host).on('error', () => undefined);
  await waitUntil('the canaries to see every visitor', () => connections === visited.length);
  return {
    port,
    seen: () => connections - visited.length,
    close: () => {
      first.close();
      second?.close();
    },
  };
}
