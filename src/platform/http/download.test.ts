/** How many exports of a company run at once, and what becomes of files that are left, on a real server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { waitUntil } from '../../../test/support/wait.ts';
import { createExportAdmission, sendCsv, sendZip, type ZipEntry } from './download.ts';
import { createServer } from './http.ts';
import { createLog, createMetrics } from '../work/telemetry.ts';

const app = createServer(createLog('silent'), createMetrics());
const gate = Promise.withResolvers<void>();
const admit = createExportAdmission(1_000);

async function* writePortions(): AsyncGenerator<string> {
  yield 'name\n';
  await gate.promise;
  yield 'Ana\n';
}

app.get('/export/:company', { config: { access: 'public' } }, async (asked, reply) => {
  const { company } = asked.params as { company: string };
  await admit(company, reply);
  return sendCsv(reply, 'names.csv', writePortions());
});
const ended: string[] = [];
async function* writeEndless(name: string): AsyncGenerator<string> {
  try {
    for (;;) {
      yield 'more and more and more\n';
      if (name === 'broken') throw new Error('cannot be read');
    }
  } finally {
    ended.push(name);
  }
}

async function* listEntries(name: string): AsyncGenerator<ZipEntry> {
  try {
    yield { name: 'first.txt', changedAt: new Date(), content: writeEndless(name), compress: true };
  } finally {
    ended.push(`${name}.zip`);
  }
}

app.get('/zip/:name', { config: { access: 'public' } }, (asked, reply) =>
  sendZip(reply, 'files.zip', listEntries((asked.params as { name: string }).name)),
);
await app.listen({ port: 0, host: '127.0.0.1' });
after(() => app.close());
const { port } = app.server.address() as AddressInfo;

async function begin(company: string): Promise<{ status: number; retryAfter: string | undefined; hangUp(): void }> {
  const asked = request({ port, path: `/export/${company}`, agent: false }).end();
  asked.on('error', () => undefined);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.on('error', () => undefined).resume();
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    hangUp: () => asked.destroy(),
  };
}

test('a ZIP whose caller hangs up reads no more, and the connection is cut when a file of it fails', async () => {
  const asked = request({ port, path: '/zip/left', agent: false }).end();
  asked.on('error', () => undefined);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  asked.destroy();
  await waitUntil('the end of the files', () => ended.includes('left') && ended.includes('left.zip'));
  await assert.rejects(async () => (await fetch(`http://127.0.0.1:${port}/zip/broken`)).arrayBuffer());
  await waitUntil('the end of the broken file', () => ended.includes('broken') && ended.includes('broken.zip'));
});

test('a third export of a company at once waits, and is answered 429 when no other one ends meanwhile or its caller hangs up', async () => {
  const first = await begin('a');
  const second = await begin('a');
  const third = await begin('a');
  const other = await begin('b');
  assert.deepEqual([first.status, second.status, third.status, other.status], [200, 200, 429, 200]);
  assert.equal(third.retryAfter, '5');
  const fourth = begin('a');
  second.hangUp();
  assert.equal((await fourth).status, 200);
  assert.equal((await begin('a')).status, 429);
  gate.resolve();
  await waitUntil('the places of the exports that ended', async () => (await begin('a')).status === 200);
});
