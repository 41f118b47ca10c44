/** What the server reads of a body without end after it has refused the request. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { createServer } from './http.ts';
import { createLog, createMetrics } from '../work/telemetry.ts';

const MEGABYTE = 1024 * 1024;
// What Node has already read when the request is refused, and what it reads until it notices the pause.
const READ_AHEAD_BYTES = 256 * 1024;

const app = createServer(createLog('silent'), createMetrics());
app.post('/', { config: { access: 'public' } }, () => 'fine');
await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());
const { port } = app.server.address() as AddressInfo;

/** Writes for ever, as fast as the server reads. */
async function pour(socket: Socket, piece: Buffer): Promise<void> {
  while (socket.writable) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
}

for (const [name, head, piece] of [
  [
    'a chunked body',
    'transfer-encoding: chunked',
    Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MEGABYTE, 'a'), Buffer.from('\r\n')]),
  ],
  ['a body of an announced terabyte', 'content-length: 1000000000000', Buffer.alloc(MEGABYTE, 'a')],
] as const) {
  test(`of ${name} that is refused at most 64 kB are read on, and its client receives the answer`, async () => {
    const accepted = once(app.server, 'connection');
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
    const [served] = (await accepted) as [Socket];
    const closed = once(served, 'close');
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n${head}\r\n\r\n`);
    // Failure policy: the server closes the connection in the end, and only what it read and answered counts.
    pour(socket, piece).catch(() => undefined);
    await closed;
    assert.match(answer, /^HTTP\/1\.1 415 [^]*connection: close[^]*"code":"UNSUPPORTED_MEDIA_TYPE"/i);
    assert.ok(served.bytesRead <= 64 * 1024 + READ_AHEAD_BYTES, `${served.bytesRead} bytes were read`);
  });
}
