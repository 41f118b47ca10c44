/** The MCP server, judged by the protocol's own conformance tests. They know only the eras before 2026, and send no key. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import Fastify from 'fastify';
import { request } from 'undici';
import { createFixtureHandler } from '../../../test/support/mcp-fixture.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { passOn } from './routes.ts';

const { url, demo } = await startPlatform();
const JUDGE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';

/** Runs all scenarios, and returns those that the server fails. */
async function judge(address: string): Promise<string[]> {
  const args = [JUDGE, 'server', '--url', address, '--suite', 'all'];
  const told = await new Promise<string>((judged) => {
    execFile(process.execPath, args, (_error, stdout) => judged(stdout));
  });
  const verdicts = [...told.matchAll(/^([✓✗]) (\S+): \d+ passed/gmu)];
  assert.equal(verdicts.length, 32, told);
  return verdicts.flatMap(([, mark, scenario = '']) => (mark === '✗' ? [scenario] : [])).toSorted();
}

/** Listens on the loopback, and passes requests on with the key. Host and Origin stay as they were sent. */
async function openProxy(): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const pass = async (): Promise<void> => {
      const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>));
      const { connection: _hop, 'content-length': _length, 'transfer-encoding': _coding, ...kept } = incoming.headers;
      const headers: IncomingHttpHeaders = { ...kept, authorization: `Bearer ${demo.key}` };
      const method = incoming.method as 'GET' | 'POST' | 'DELETE';
      const answer = await request(`${url}/mcp`, { method, headers, body: method === 'POST' ? body : null });
      outgoing.writeHead(answer.statusCode, answer.headers);
      outgoing.end(Buffer.from(await answer.body.arrayBuffer()));
    };
    pass().catch((error: unknown) => outgoing.destroy(error as Error));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

// Scenarios that need a session: during a call the server asks its client something, or reports progress.
const WITHOUT_SESSIONS = [
  'logging-set-level',
  'tools-call-with-logging',
  'tools-call-with-progress',
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'resources-subscribe',
  'resources-unsubscribe',
];
// What calls tools, resources and prompts of the judge's own.
const OF_FIXTURES = [
  'completion-complete',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'json-schema-2020-12',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
];

test('the MCP server passes all conformance scenarios that need no tools of their own', async () => {
  const proxy = await openProxy();
  try {
    const { port } = proxy.address() as AddressInfo;
    assert.deepEqual(await judge(`http://localhost:${port}/mcp`), [...WITHOUT_SESSIONS, ...OF_FIXTURES].toSorted());
  } finally {
    proxy.close();
  }
});

test('what the server passes on passes the conformance scenarios of tools, resources and prompts', async () => {
  const app = Fastify();
  const handler = createFixtureHandler();
  app.post('/mcp', (incoming, reply) => passOn(incoming, reply, handler));
  try {
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    // The Host of a request is checked before it is passed on.
    assert.deepEqual(await judge(`${address}/mcp`), ['dns-rebinding-protection', ...WITHOUT_SESSIONS].toSorted());
  } finally {
    await app.close();
  }
});
