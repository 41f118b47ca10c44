import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestDatabase } from '../../test/support/database.ts';
import type { Json } from '../../test/support/platform.ts';
import { findPort } from '../../test/support/ports.ts';
import { listDescendants, listLiving, makeDataFolder, readyUrl, spawnProgram } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';

const SENDS = 12;
const CONTENT = 'Held until SIGTERM has come';

const database = await openTestDatabase();
after(() => database.close());

test('after SIGTERM each send, read and delivery in flight is finished, then the process exits with 0 and leaves no child process', async (t) => {
  const folder = await makeDataFolder(t);
  const sandbox = await findPort();
  const outside = await startOutside(t, sandbox);
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    SANDBOX: 'on',
    SANDBOX_PORT: String(sandbox),
    WAP_GRAPH_URL: outside.url,
    OUTBOUND_ALLOW: '127.0.0.0/8',
  };
  const program = spawnProgram(t, { env });
  const url = await readyUrl(program);
  const { company_key: key } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')) as Json;
  const call = (path: string, body?: unknown) =>
    fetch(url + path, {
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
  const write = (text: string, from: string) =>
    fetch(`http://127.0.0.1:${sandbox}/sandbox/inbound`, { method: 'POST', body: JSON.stringify({ text, from }) });

  await write('Oi', '5511977770002');
  const [conversation] = await database.sql<{ _id: string }>('select _id from conversations');
  assert.ok(conversation);
  await database.sql('update webhooks set url = $1', [`${outside.url}/receiver`]);
  const body = { conversationId: conversation._id, message: { content: CONTENT } };
  const sends = Array.from({ length: SENDS }, () => call('/v1/messages/send-text', body));
  await write('Alô', '5511977770003');
  await waitUntil('sends and deliveries to be in flight', () => {
    const { sends: sent, deliveries } = outside.held();
    return sent === SENDS && deliveries > 0;
  });
  const children = listDescendants(program.pid);
  const statuses = new Set<number>();
  const reading = readUntilClosed(() => call('/v1/inboxes'), statuses);
  await waitUntil('a first answer', () => statuses.size > 0);

  program.child.kill('SIGTERM');
  await reading;
  assert.deepEqual([...statuses], [200], 'a request was answered, or never accepted');
  outside.release();
  const answers = await Promise.all(
    sends.map(async (answer) => ({ status: (await answer).status, body: (await (await answer).json()) as Json })),
  );
  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.status]),
    Array.from({ length: SENDS }, () => [201, 'SENT']),
  );
  assert.equal(await program.ended, 0, program.stderr());
  const attempts = `select distinct status from deliveries where attempted_at is not null
    union all select 'SENDING' from delivery_attempts`;
  const outcomes = await database.sql<{ status: string }>(attempts);
  assert.deepEqual(
    outcomes.map((row) => row.status),
    ['DELIVERED'],
  );
  assert.deepEqual(listLiving(children), []);
});

interface Outside {
  url: string;
  /** Answers the sends of CONTENT and the deliveries, which are not answered before. */
  release(): void;
  /** How many sends and deliveries wait for their answer. */
  held(): { sends: number; deliveries: number };
}

/** Starts a server that stands between the platform and the network of the sandbox, and receives deliveries. */
async function startOutside(t: TestContext, sandbox: number): Promise<Outside> {
  const released = Promise.withResolvers<void>();
  const held = { sends: 0, deliveries: 0 };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request;
    const body = await buffer(request);
    const isDelivery = path === '/receiver';
    if (isDelivery || body.includes(CONTENT)) {
      held[isDelivery ? 'deliveries' : 'sends'] += 1;
      await released.promise;
    }
    if (isDelivery) return void response.end();
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const passed = await fetch(`http://127.0.0.1:${sandbox}${path}`, {
      method,
      headers: { authorization, 'content-type': type },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release: released.resolve,
    held: () => held,
  };
}

/** Sends one read after the other, with short pauses, until the server refuses connections. */
async function readUntilClosed(read: () => Promise<Response>, statuses: Set<number>): Promise<void> {
  for (;;) {
    try {
      const answer = await read();
      await answer.text();
      statuses.add(answer.status);
      await sleep(20);
    } catch (error) {
      const { code } = (error as { cause?: { code?: string } }).cause ?? {};
      // Failure policy: a refused connection ends the loop; a connection that closes between two requests is opened again.
      if (code === 'ECONNREFUSED') return;
      if (code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET') throw error;
    }
  }
}

test('after SIGTERM during its start, and a second one, the program exits with 0 and leaves no child process', async (t) => {
  const folder = await makeDataFolder(t);
  const program = spawnProgram(t, { env: { DATA_DIR: folder } });
  // The first child process is initdb, so the program is still at the beginning of its start.
  await waitUntil('its first child process', () => listDescendants(program.pid).length > 0);
  program.child.kill('SIGTERM');
  // Once the database server runs, the program has continued its start and has noticed the first signal. While initdb creates the cluster,
  // the file contains a negative id.
  const pidFile = join(folder, 'postgres/cluster/data/postmaster.pid');
  await waitUntil('its database server', async () => {
    assert.equal(program.child.exitCode, null, program.stderr());
    return Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10) > 0;
  });
  const children = listDescendants(program.pid);
  program.child.kill('SIGTERM');
  assert.equal(await program.ended, 0, program.stderr());
  await waitUntil('its children to end', () => listLiving(children).length === 0);
});

test('a stop that takes longer than STOP_WAIT ends the process with the exit code 1', async (t) => {
  const shared = await openTestDatabase();
  t.after(() => shared.close());
  const env = { DATA_DIR: await makeDataFolder(t), DATABASE_URL: shared.url, STOP_WAIT: '1s' };
  const program = spawnProgram(t, { env });
  const { hostname, port } = new URL(await readyUrl(program));
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  // The body of this request never comes, and the platform would wait for it for 5 s.
  const head = 'POST /v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9';
  socket.write(`${head}\r\nexpect: 100-continue\r\n\r\n`);
  await once(socket, 'data');
  program.child.kill('SIGTERM');
  assert.equal(await program.ended, 1);
});

test('when the embedded database dies, the program explains it in one sentence, then stops and exits with 1', async (t) => {
  const folder = await makeDataFolder(t);
  // Both outputs go to one pipe, which shows their order.
  const through = ['sh', '-c', 'exec "$@" 2>&1', 'sh'];
  const program = spawnProgram(t, { env: { DATA_DIR: folder, LOG_LEVEL: 'info' }, through });
  await readyUrl(program);
  const [pid] = (await readFile(join(folder, 'postgres/cluster/data/postmaster.pid'), 'utf8')).split('\n');
  const children = listDescendants(program.pid);
  process.kill(Number(pid), 'SIGKILL');
  assert.equal(await program.ended, 1);
  const lines = program.stdout().split('\n');
  const findLine = (pattern: RegExp): number[] => lines.flatMap((line, n) => (pattern.test(line) ? [n] : []));
  const [reason = -1, ...more] = findLine(/^parley: /);
  const [stopping = -1] = findLine(/"msg":"stopping"/);
  assert.match(lines[reason] ?? '', /^parley: the embedded PostgreSQL \(pid \d+\) ended by itself: .*$/);
  assert.deepEqual(more, []);
  assert.ok(reason < stopping, 'the reason was written after the stop had begun');
  await waitUntil('its children to end', () => listLiving(children).length === 0);
});
