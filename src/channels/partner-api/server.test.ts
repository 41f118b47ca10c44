/**
 * The channel next to a server of Evolution API: the sandbox's, and a real one where EVOLUTION_URL and EVOLUTION_KEY name it. The real one has to reach
 * this machine by 127.0.0.1.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { startServer } from '../../../sandbox/server.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { createOutbound } from '../../platform/outside/outbound.ts';
import type { Inbound } from '../channel.ts';
import { textOf } from '../content.ts';
import { PHONE_NUMBER } from '../identity.ts';
import { checkInstance } from './instance.ts';
import { parseEvent } from './parse.ts';
import { sendMessage } from './send.ts';

const sandbox = await startServer({
  host: '127.0.0.1',
  port: 0,
  callbackUrl: null,
  appSecret: 'a',
  verifyToken: 'b',
  open: false,
});
after(sandbox.stop);
const { EVOLUTION_URL = '', EVOLUTION_KEY = '' } = process.env;
const servers = [
  { name: "the sandbox's server", url: `${sandbox.url}/gateway`, key: 'key-of-the-server', skip: false },
  {
    name: 'a real server',
    url: EVOLUTION_URL,
    key: EVOLUTION_KEY,
    skip: EVOLUTION_URL && EVOLUTION_KEY ? false : 'EVOLUTION_URL and EVOLUTION_KEY are not set',
  },
];

const outbound = createOutbound({ allow: ['127.0.0.1/32'], trusted: [] });
after(outbound.close);

/** Starts what the server calls. `heard` has the calls with their headers. */
async function startListener(): Promise<{ url: string; heard: { headers: IncomingHttpHeaders; body: unknown }[] }> {
  const heard: { headers: IncomingHttpHeaders; body: unknown }[] = [];
  const listener = createServer((request, response) => {
    void json(request).then((body) => {
      heard.push({ headers: request.headers, body });
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  after(() => {
    listener.close();
    listener.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`, heard };
}

for (const { name, url, key, skip } of servers) {
  test(
    `${name} sends a text once, refuses another key and instance, and calls us with the secret`,
    { skip },
    async () => {
      const instance = `parley-${randomBytes(4).toString('hex')}`;
      const number = `55119${String(randomBytes(4).readUInt32BE()).padStart(10, '0').slice(-8)}`;
      const call = (method: string, path: string, body?: object): Promise<Response> =>
        fetch(`${url}/${path}`, {
          method,
          headers: { apikey: key, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
      const made = await call('POST', 'instance/create', { instanceName: instance, integration: 'EVOLUTION', number });
      assert.equal(made.status, 201);
      const config = { base_url: url, api_key: key, instance_name: instance };
      const { url: callback, heard } = await startListener();
      const signal = AbortSignal.timeout(600_000);
      const told = { url: callback, verifyToken: 'secret-of-the-inbox' };
      const accepted = { ok: true, coexistence: true, account: null };
      assert.deepEqual(await checkInstance({ outbound }, { config, signal }, told), accepted);
      const send = (changed: object): Promise<object> => {
        const to = { names: [PHONE_NUMBER.identify('5511988887777')] };
        const content = { contentType: 'TEXT' as const, content: 'Olá' };
        const message = { messageId: '65f0a1b2c3d4e5f60718293a', to, content, file: null, replyTo: null };
        return sendMessage({ outbound }, message, { ...config, ...changed }, signal);
      };
      const sent = (await send({})) as { outcome: string; externalId: string };
      assert.equal(sent.outcome, 'accepted');
      for (const changed of [{ api_key: 'another' }, { instance_name: 'nobody' }])
        assert.equal(((await send(changed)) as { outcome: string }).outcome, 'rejected');
      const message = { key: { id: 'IN1', remoteJid: '5511988887777@s.whatsapp.net', fromMe: false } };
      const written = { ...message, pushName: 'Maria', message: { conversation: 'oi' }, messageType: 'conversation' };
      assert.equal((await call('POST', 'webhook/evolution', { numberId: number, ...written })).status, 200);
      const find = (id: string): Promise<Inbound> =>
        waitUntil(`the report of ${id}`, () =>
          heard
            .flatMap(({ body }) => [...parseEvent(body, config)])
            .find((element) => element?.kind === 'message' && element.externalId === id),
        );
      await find(sent.externalId);
      const inbound = await find('IN1');
      assert.ok(inbound.kind === 'message' && textOf(inbound) === 'oi' && !inbound.fromBusiness);
      assert.ok(heard.every(({ headers }) => headers['x-hook-secret'] === told.verifyToken));
      assert.equal((await call('DELETE', `instance/delete/${instance}`)).status, 200);
    },
  );
}
