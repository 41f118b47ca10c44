/** Uploads files to a Graph API on the loopback address, through the real HTTP client of the platform for calls to the outside. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { createMemoryMeter } from '../../../test/support/memory.ts';
import { openOutbound } from '../../../test/support/peers.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import type { OutboundFile } from '../media.ts';
import { createGraph } from './graph.ts';
import { uploadFile } from './upload.ts';

const MEGABYTE = 1024 * 1024;
/** The most memory that an upload may use: the size of the buffers of a socket and of two streams, many times over. */
const HELD_BYTES = 32 * MEGABYTE;
const config = {
  phone_number_id: '106540352242922',
  business_id: '9',
  waba_id: '3',
  business_token: 'EAAG-invented-1',
};

type Listener = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Starts a network that answers with `listener`, and returns the function that uploads a file to it. */
async function startNetwork(context: TestContext, listener: Listener) {
  const server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const graphUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v26.0`;
  const graph = createGraph({ graphUrl, appSecret: null, outbound: openOutbound(context) });
  return (file: OutboundFile, over = {}) =>
    uploadFile(graph, file, { config: { ...config, ...over }, signal: AbortSignal.timeout(600_000) });
}

function makeFile(over: Partial<OutboundFile> = {}): OutboundFile & { opened: Readable[] } {
  const opened: Readable[] = [];
  const open = over.open ?? (() => Promise.resolve(Readable.from([Buffer.from('conteúdo')])));
  return {
    mimeType: 'application/pdf',
    fileName: 'Orçamento "final"\r\n.pdf',
    bytes: 9,
    url: 'https://files.example.test/a',
    voice: false,
    networkId: null,
    ...over,
    opened,
    open: async () => {
      const stream = await open();
      opened.push(stream);
      return stream;
    },
  };
}

const answer = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

test('an uploaded file arrives as a form with its name, type and content, and gets an id for a little less than 30 days', async (context) => {
  let form: FormData | undefined;
  let line = '';
  const upload = await startNetwork(context, async (request, response) => {
    line = `${request.method} ${request.url} ${request.headers.authorization}`;
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    form = await new Response(Uint8Array.from(await buffer(request)), { headers }).formData();
    answer(response, 200, { id: '4490709327384033' });
  });
  const result = await upload(makeFile());
  assert.equal(line, 'POST /v26.0/106540352242922/media Bearer EAAG-invented-1');
  assert.ok(form);
  assert.deepEqual([form.get('messaging_product'), form.get('type')], ['whatsapp', 'application/pdf']);
  const file = form.get('file');
  assert.ok(file instanceof File);
  assert.deepEqual(
    [file.name, file.type, await file.text()],
    ['Orçamento "final"\r\n.pdf', 'application/pdf', 'conteúdo'],
  );
  assert.ok(result.outcome === 'uploaded' && result.networkId === '4490709327384033');
  const days = (result.expiresAt.getTime() - Date.now()) / 86_400_000;
  assert.ok(days > 28.9 && days <= 29);
});

test('100 MB are uploaded unchanged, and little memory is held meanwhile', async (context) => {
  const size = 100 * MEGABYTE;
  async function* content(): AsyncGenerator<Buffer> {
    for (let index = 0; index < size / MEGABYTE; index += 1) yield Buffer.alloc(MEGABYTE, `megabyte ${index} `);
  }
  let arrived = 0;
  const expected = createHash('sha256');
  for await (const piece of content()) expected.update(piece);
  const upload = await startNetwork(context, async (request, response) => {
    for await (const piece of request) arrived += (piece as Buffer).length;
    assert.equal(arrived, Number(request.headers['content-length']));
    answer(response, 200, { id: '7' });
  });
  const scales = createMemoryMeter();
  const open = () => Promise.resolve(Readable.from(scales.pass(content()), { objectMode: false }));
  assert.equal((await upload(makeFile({ bytes: size, open }))).outcome, 'uploaded');
  assert.equal(scales.sha256(), expected.digest('hex'));
  assert.ok(arrived > size && arrived < size + 1024);
  context.diagnostic(`held at most: ${scales.most()} bytes`);
  assert.ok(scales.most() < HELD_BYTES);
});

test('an upload that the network refuses fails with the cause that the network gives', async (context) => {
  const upload = await startNetwork(context, async (request, response) => {
    await buffer(request);
    answer(response, 400, { error: { message: '(#131053) Media upload error', code: 131053 } });
  });
  const result = await upload(makeFile());
  assert.ok(result.outcome === 'failed' && result.network && result.error.code === 131053);
});

test('an upload is tried again after a refusal that soon passes', async (context) => {
  let calls = 0;
  const upload = await startNetwork(context, async (request, response) => {
    await buffer(request);
    calls += 1;
    if (calls === 1) answer(response, 500, { error: { message: 'down', code: 131016 } });
    else answer(response, 200, { id: '8' });
  });
  const file = makeFile();
  assert.equal((await upload(file)).outcome, 'uploaded');
  assert.deepEqual([calls, file.opened.length], [2, 2]);
});

const failures: [string, Listener][] = [
  ['an upload without an answer', (_request, response) => void response.destroy()],
  ['an upload that is answered without an id', (_request, response) => answer(response, 200, { ok: true })],
  ['an upload that is answered by a page', (_request, response) => void response.writeHead(502).end('<html>')],
];
for (const [name, listener] of failures) {
  test(`${name} fails with PROVIDER_UNREACHABLE, and its file is closed`, async (context) => {
    const upload = await startNetwork(context, async (request, response) => {
      await buffer(request);
      await listener(request, response);
    });
    const file = makeFile();
    const result = await upload(file);
    assert.ok(result.outcome === 'failed' && !result.network && result.error.code === 'PROVIDER_UNREACHABLE');
    await waitUntil('the file to be closed', () => file.opened.length === 1 && file.opened[0]?.destroyed);
  });
}

test('a file that has another length than announced is not uploaded', async (context) => {
  const upload = await startNetwork(context, async (request, response) => {
    // The connection breaks before the body is complete.
    await buffer(request).catch(() => undefined);
    if (request.complete) answer(response, 200, { id: '9' });
  });
  for (const bytes of [8, 10]) assert.equal((await upload(makeFile({ bytes }))).outcome, 'failed', String(bytes));
});

test('an upload without a usable token sends nothing, and its file is closed', async (context) => {
  let calls = 0;
  const upload = await startNetwork(context, (_request, response) => {
    calls += 1;
    answer(response, 200, { id: '1' });
  });
  const file = makeFile();
  const result = await upload(file, { business_token: null });
  assert.ok(result.outcome === 'failed' && result.error.code === 'PROVIDER_REJECTED');
  assert.equal(calls, 0);
  await waitUntil('the file to be closed', () => file.opened[0]?.destroyed);
});
