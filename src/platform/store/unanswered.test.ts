/** Connections whose statements get no answer. */
import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { after, test } from 'node:test';
import pg from 'pg';
import { openTestDatabase } from '../../../test/support/database.ts';
import { closePool, openPool } from './db.ts';
import { ROLES } from './roles.ts';
import { hasUnanswered, queryOnce } from './unanswered.ts';

const database = await openTestDatabase();
after(database.close);

test('a connection that the network has lost without a word neither counts as one without an answer nor keeps its place in the pool', async (context) => {
  const { port } = new pg.Client({ connectionString: database.url });
  const { username, password, pathname } = new URL(database.url);
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    sockets.push(
      client.on('error', () => undefined),
      upstream.on('error', () => undefined),
    );
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => (server.close(), sockets.forEach((socket) => socket.destroy())));
  const { port: proxied } = server.address() as AddressInfo;
  const url = `postgres://${username}:${password}@127.0.0.1:${proxied}${pathname}`;
  const pool = openPool(url, ROLES.system, 1, { statementMs: 100, waitMs: 60_000 });
  await queryOnce(pool, { text: 'select 1' });
  for (const socket of sockets) socket.unpipe().pause();
  await assert.rejects(queryOnce(pool, { text: 'select 1' }), /Query read timeout/);
  assert.equal(await hasUnanswered(), false);
  assert.equal((await queryOnce(pool, { text: 'select 1' })).rows.length, 1);
  await closePool(pool);
});
