import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { runWithStoppedClock } from '../../../test/support/clock.ts';
import { openPlatform, startPlatform } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform({ env: { CONNECTIONS_PER_ADDRESS: '20', CONNECTIONS: '40' } });
const proxied = await startPlatform({
  env: { CONNECTIONS_PER_ADDRESS: '20', CONNECTIONS: '40', TRUSTED_PROXIES: '127.0.0.1' },
});
const sockets: Socket[] = [];
after(() => sockets.forEach((socket) => socket.destroy()));

/** Opens a connection, sends a request and returns whether it was answered. */
async function isServed(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  sockets.push(socket);
  socket.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
  const answered = once(socket, 'data').then(() => true);
  return Promise.race([answered, once(socket, 'close').then(() => false)]);
}

async function countServed(url: string, asked: number): Promise<number> {
  const served = [];
  for (let count = 0; count < asked; count += 1) served.push(await isServed(url));
  return served.filter(Boolean).length;
}

test('an address can keep only a limited number of connections, and may open another one for each that it closes', async () => {
  assert.ok((await countServed(platform.url, 25)) <= 20);
  sockets.splice(0).forEach((socket) => socket.destroy());
  await waitUntil('a place to be free', () => isServed(platform.url));
});

test('behind a trusted proxy only the total number of connections is limited', async () => {
  const served = await countServed(proxied.url, 45);
  assert.ok(served > 20 && served <= 40, `${served} were served`);
});

test('a stop waits for the first request of a connection that was opened before', async (t) => {
  const { platform: stopped, close } = await openPlatform();
  t.after(close);
  const { hostname, port } = new URL(stopped.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  const firstAnswer = Promise.race([
    once(socket, 'data').then(([data]) => String(data)),
    once(socket, 'close').then(() => 'closed'),
  ]);
  let stopping = Promise.resolve();
  // A stop waits a second for the request, which does not pass while the clock stands still.
  await runWithStoppedClock(t, async () => {
    stopping = stopped.running.stop();
    // On a slow network a request takes a while to arrive.
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
    assert.match(await firstAnswer, /^HTTP\/1\.1 200/);
  });
  await stopping;
});
