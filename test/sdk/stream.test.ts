/** Server-sent events, read by the client from a server that sends and breaks off as the test says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { isParleyError, type StreamOptions } from '../../sdk/src/index.ts';
import { prepareRequest } from '../../sdk/src/request.ts';
import { openStream, type StreamedEvent } from '../../sdk/src/stream.ts';
import { waitUntil } from '../support/wait.ts';

type Connection = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a server that answers its connections in turn, and returns how to open a stream to it, and what each connection asked for. */
async function startStreams(...connections: Connection[]) {
  const asked: { position: string | undefined; accept: string | undefined; token: string | undefined }[] = [];
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const { 'last-event-id': position, accept, authorization: token } = request.headers;
    asked.push({ position: position?.toString(), accept, token });
    open.add(response.on('close', () => open.delete(response)));
    const connection = connections.length > 1 ? connections.shift() : connections[0];
    connection?.(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'a' };
  const operation = { method: 'GET', path: '/v1/live', query: true, answer: 'stream' } as const;
  const stream = (options: StreamOptions = {}) =>
    openStream(client, prepareRequest(client, operation, [{ kind: 'message' }, options]));
  return { stream, asked, open };
}

async function writePieces(response: ServerResponse, pieces: readonly (string | Buffer)[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
}
const send =
  (...pieces: (string | Buffer)[]): Connection =>
  (response) =>
    void writePieces(response, pieces);
const sendAndBreak =
  (...pieces: (string | Buffer)[]): Connection =>
  (response) =>
    void writePieces(response, pieces).then(() => response.destroy());

async function take(stream: AsyncIterable<StreamedEvent>, count: number): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const event of stream) if (events.push(event) === count) break;
  return events;
}

test('events are read as the standard says, however the bytes arrive', async () => {
  const text = [
    '\uFEFF: a comment\nevent: message.created\nid: 1\ndata: {"text":\ndata: "é"}\n\n',
    'data:[1]\r\n\r\n',
    'id: 3\rdata: null\r\r',
    'event: nothing\n\nunknown: field\nretry: soon\nid\ndata: "last"\n\n',
  ].join('');
  const bytes = Buffer.from(text);
  const { stream } = await startStreams(send(...Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))));
  assert.deepEqual(await take(stream(), 4), [
    { event: 'message.created', id: '1', data: { text: 'é' } },
    { event: 'message', id: '1', data: [1] },
    { event: 'message', id: '3', data: null },
    { event: 'message', id: '', data: 'last' },
  ]);
});

test('a stream that breaks off goes on behind the last whole event, and tells when it is connected', async () => {
  const { stream, asked } = await startStreams(
    sendAndBreak('retry: 10\nid: 1\ndata: 1\n\n', 'id: 2\ndata: 2\n\nid: 3\ndata: 3\n'),
    (response) => response.writeHead(503, { 'retry-after': '0' }).end(),
    (response) => response.destroy(),
    sendAndBreak('id: 3\ndata: 3\n\n'),
    send('id: 4\ndata: 4\n\n'),
  );
  const states: boolean[] = [];
  const events = await take(stream({ onConnection: (isConnected) => states.push(isConnected) }), 4);
  assert.deepEqual(
    events.map(({ data }) => data),
    [1, 2, 3, 4],
  );
  assert.deepEqual(
    asked.map(({ position }) => position),
    [undefined, '2', '2', '2', '3'],
  );
  assert.deepEqual(states, [true, false, true, false, true, false]);
  assert.deepEqual([asked[0]?.accept, asked[0]?.token], ['text/event-stream', 'Bearer a']);
});

test('a stream can begin behind an event, and leaving the loop or ending the signal closes its connection', async () => {
  const { stream, asked, open } = await startStreams(send('id: 8\ndata: 8\n\n'));
  await take(stream({ lastEventId: '7' }), 1);
  assert.equal(asked[0]?.position, '7');
  await waitUntil('the connection to be closed', () => open.size === 0);
  const controller = new AbortController();
  const events = stream({ signal: controller.signal });
  assert.equal((await events.next()).done, false);
  const next = events.next();
  controller.abort(new Error('Logged out'));
  await assert.rejects(next, /Logged out/);
  await waitUntil('the connection to be closed', () => open.size === 0);
  assert.equal(asked.length, 2);
});

test('a connection on which nothing arrives for too long is made again, and comments keep it open', async () => {
  const { stream, asked } = await startStreams(send('retry: 10\n\n'), (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write(':\n'), 20);
    setTimeout(() => response.write('data: 1\n\n'), 400);
    response.on('close', () => clearInterval(timer));
  });
  assert.equal((await take(stream({ idleMs: 200 }), 1))[0]?.data, 1);
  assert.equal(asked.length, 2);
});

test('a refusal ends the stream with its error', async () => {
  const { stream, asked } = await startStreams((response) => {
    response.writeHead(401, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ code: 'UNAUTHORIZED', detail: 'The token has expired', errors: [] }));
  });
  await assert.rejects(take(stream(), 1), (error) => isParleyError(error) && error.code === 'UNAUTHORIZED');
  assert.equal(asked.length, 1);
});
