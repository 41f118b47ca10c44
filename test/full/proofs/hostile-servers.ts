/**
 * One company connects servers of its own that answer in the most laborious ways they can, and saves their settings again and again. A neighbour
 * receives and sends messages meanwhile: its answers take as long as before, and none is refused.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  MAIL_LOG_IN,
  sayWithoutEnd,
  startImapServer,
  startSmtpServer,
  trustCertificate,
  type TestMailbox,
} from '../../support/mail-servers.ts';
import { openMcp } from '../../support/mcp.ts';
import { reportProgress } from '../../support/progress.ts';
import { buildNotification, buildTextElement, createNetwork } from '../harness/network.ts';
import { medianPercentile99 } from '../harness/percentile.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { repeatAtRate } from '../harness/rhythm.ts';
import { call, createInbox, sendRequest, withStage, type Stage, type Tenant } from '../harness/stage.ts';

export interface HostileServersSize {
  /** How often in a second the neighbour receives a message, and sends one. */
  perSecond: number;
  /** The length of the phase before each hostile server, and of that beside it. */
  seconds: number;
  judgesPace: boolean;
}

const MOST_RATIO = 2;
/** Milliseconds by which times may differ, because a busy machine cannot measure less. */
const CLOCK_MS = 10;
/** How often the hostile company saves its settings again in a second. */
const SAVES_PER_SECOND = 0.5;

interface Scope {
  after(end: () => unknown): void;
}

/** What the hostile company does while the neighbour is measured: it returns what it does again and again. */
type Hostility = (scene: Scene) => Promise<() => Promise<unknown>>;

interface Scene {
  stage: Stage;
  api: PlatformProcess;
  hostile: Tenant;
  scope: Scope;
  certificate: { key: string; cert: string };
}

const DEEP = `* 1 FETCH ${'('.repeat(30_000)}\r\n`;
const MANY_WORDS = `* CAPABILITY IMAP4rev1 ${'WORD '.repeat(90_000)}\r\n`;
const MAILBOXES: Record<string, TestMailbox['interfere']> = {
  'EXISTS after IDLE': sayWithoutEnd('IDLE', '* 1 EXISTS\r\n', '+ idling\r\n'),
  'lines at the log-in': sayWithoutEnd('LOGIN', '* OK hello\r\n'),
  'long lines at the log-in': sayWithoutEnd('LOGIN', `* LIST () "/" "${'x'.repeat(900_000)}"\r\n`),
  capabilities: sayWithoutEnd('CAPABILITY', MANY_WORDS),
  'EXISTS during EXAMINE': sayWithoutEnd('EXAMINE', '* 1 EXISTS\r\n'),
  'FETCH during EXAMINE': sayWithoutEnd('EXAMINE', '* 1 FETCH (FLAGS ())\r\n'),
  parentheses: sayWithoutEnd('EXAMINE', DEEP),
  literals: sayWithoutEnd('EXAMINE', '* OK {0}\r\n'),
};

const connectMailbox =
  (interfere: TestMailbox['interfere']): Hostility =>
  async ({ api, hostile, scope, certificate }) => {
    const [smtp, mailbox] = await Promise.all([
      startSmtpServer(scope, certificate),
      startImapServer(scope, certificate),
    ]);
    mailbox.canIdle = true;
    const address = `hostile-${mailbox.port}@shop.example`;
    const imap_url = `imaps://127.0.0.1:${mailbox.port}`;
    const email_config = { ...MAIL_LOG_IN, smtp_url: `smtps://127.0.0.1:${smtp.port}`, imap_url, address };
    const body = { channel: 'EMAIL', name: 'Hostile', email_config };
    const { _id } = await call(201, 'POST', `${api.url}/v1/inboxes`, { key: hostile.key, body });
    mailbox.interfere = interfere;
    return () => call(200, 'PUT', `${api.url}/v1/inboxes/${_id}`, { key: hostile.key, body: { email_config } });
  };

const STREAM = { 'content-type': 'text/event-stream' };
const TOOL_SERVERS: Record<string, [headers: Record<string, string>, body: string]> = {
  'empty events': [STREAM, 'data: \n\n'.repeat(52_000)],
  'events of brackets': [STREAM, `data: ${'['.repeat(500_000)}\n\n`],
  'a list of tools': [
    { 'content-type': 'application/json' },
    JSON.stringify({ jsonrpc: '2.0', id: 0, result: { tools: Array.from({ length: 15_000 }, () => ({ name: 'a' })) } }),
  ],
};

/** Five checks at once. */
const connectTools =
  ([headers, body]: [Record<string, string>, string]): Hostility =>
  async ({ api, hostile, scope }) => {
    const server = await openMcp();
    scope.after(server.close);
    const { key } = hostile;
    const asked = { name: 'Hostile', url: server.url };
    const { _id } = await call(201, 'POST', `${api.url}/v1/agents/mcp-servers`, { key, body: asked });
    server.fail(200, headers, body);
    const check = (): Promise<unknown> =>
      sendRequest('POST', `${api.url}/v1/agents/mcp-servers/${_id}/check`, { key, body: {} });
    return () => Promise.all(Array.from({ length: 5 }, check));
  };

const LISTS: Record<string, string> = {
  brackets: '['.repeat(1_000_000),
  templates: JSON.stringify({
    data: Array.from({ length: 16_000 }, (_, index) => ({ name: `t${index}`, components: [{}] })),
  }),
};

/** A gateway that answers everything with the same list. */
const connectGateway =
  (list: string): Hostility =>
  async ({ api, hostile, scope }) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end(list);
    }).listen(0, '127.0.0.1');
    scope.after(() => (server.closeAllConnections(), server.close()));
    await new Promise((resolve) => server.once('listening', resolve));
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const partner_api_config = { base_url, api_key: 'a-key-of-the-instance', instance_name: `i${base_url.slice(-5)}` };
    const number = `+55859${base_url.slice(-5)}000`;
    const body = { channel: 'PARTNER_API', name: 'Hostile', number, partner_api_config };
    const { _id } = await call(201, 'POST', `${api.url}/v1/inboxes`, { key: hostile.key, body });
    return () => call(200, 'PUT', `${api.url}/v1/inboxes/${_id}`, { key: hostile.key, body: { partner_api_config } });
  };

const prefix = <T>(words: string, ways: Record<string, T>, connect: (way: T) => Hostility): [string, Hostility][] =>
  Object.entries(ways).map(([name, way]) => [`${words}: ${name}`, connect(way)]);

const HOSTILITIES = [
  ...prefix('mailbox', MAILBOXES, connectMailbox),
  ...prefix('tools', TOOL_SERVERS, connectTools),
  ...prefix('gateway', LISTS, connectGateway),
];

/** Returns for each hostile server the 99th percentiles of the neighbour before and beside it, in milliseconds. */
export async function proveHostileServers(size: HostileServersSize): Promise<Record<string, string>> {
  const ends: (() => unknown)[] = [];
  const scope = { after: (end: () => unknown) => void ends.push(end) };
  const folder = await mkdtemp(join(tmpdir(), 'parley-hostile-'));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  const certificate = trustCertificate(scope);
  const authority = join(folder, 'certificate.pem');
  await writeFile(authority, certificate.cert);
  try {
    return await withStage({}, async (stage) => {
      const api = await stage.start('all', { NODE_EXTRA_CA_CERTS: authority, DATABASE_POOL: '10' });
      const hostile = await stage.createTenant('Hostile');
      const body = { client_mcp_servers_enabled: true };
      await call(200, 'PATCH', `${api.url}/v1/companies/${hostile._id}`, { key: hostile.key, body });
      const neighbour = await openNeighbour(stage, api, size);
      const figures: Record<string, string> = {};
      for (const [name, begin] of HOSTILITIES) {
        const before = await neighbour();
        reportProgress(`hostile: ${name}`);
        const again = await begin({ stage, api, hostile, scope, certificate });
        const [beside] = await Promise.all([neighbour(), repeatAtRate(SAVES_PER_SECOND, size.seconds, again)]);
        figures[name] = `${before} → ${beside} ms`;
        reportProgress(`${name}: ${figures[name]}`);
        if (size.judgesPace) assert.ok(beside <= MOST_RATIO * before + CLOCK_MS, `${name}: ${figures[name]}`);
      }
      assert.ok(api.alive);
      return figures;
    });
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

/** Returns a function that lets the neighbour receive and send for a while, and returns the 99th percentile of its times. */
async function openNeighbour(stage: Stage, api: PlatformProcess, { perSecond, seconds }: HostileServersSize) {
  const tenant = await stage.createTenant('Neighbour');
  const [phoneId, from] = ['100000000000177', '5511987654321'];
  await createInbox(api, tenant, phoneId);
  const network = createNetwork(stage.appSecret);
  let count = 0;
  const tell = async (): Promise<number | null> => {
    const id = `wamid.neighbour-${(count += 1)}`;
    return network.post(api.url, buildNotification([buildTextElement(phoneId, from, id, 'Hello')]));
  };
  assert.equal(await tell(), 200);
  const { result } = await call(200, 'GET', `${api.url}/v1/conversations`, { key: tenant.key });
  const message = { conversationId: result[0]._id, message: { content: 'Hello' } };
  const send = async (): Promise<number> =>
    (await sendRequest('POST', `${api.url}/v1/messages/send-text`, { key: tenant.key, body: message })).status;
  const time = (act: () => Promise<number | null>, expected: number) => async (): Promise<number> => {
    const beganMs = performance.now();
    assert.equal(await act(), expected);
    return performance.now() - beganMs;
  };
  return async (): Promise<number> => {
    const [told, sent] = await Promise.all([
      repeatAtRate(perSecond, seconds, time(tell, 200)),
      repeatAtRate(perSecond, seconds, time(send, 201)),
    ]);
    return Math.max(medianPercentile99(told), medianPercentile99(sent));
  };
}
