import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestDatabase } from '../../test/support/database.ts';
import type { Json } from '../../test/support/platform.ts';
import { listDescendants, listLiving, makeDataFolder, readyUrl, spawnProgram } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';

const SENDS = 12;

const database = await openTestDatabase();
after(() => database.close());

test('after SIGTERM each send, read and delivery in flight is finished, then the process exits with 0 and leaves no child process', async (t) => {
  const folder = await makeDataFolder(t);
  const program = spawnProgram(t, { env: { DATA_DIR: folder, DATABASE_URL: database.url, SANDBOX: 'on' } });
  const url = await readyUrl(program);
  const { company_key: key } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')) as Json;
  const call = (path: string, body?: unknown) =>
    fetch(url + path, {
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
  const [webhook] = await database.sql<{ url: string }>('select url from webhooks');
  const sandbox = new URL(webhook?.url ?? '').origin;
  const control = (method: string, path: string, body: unknown) =>
    fetch(`${sandbox}/sandbox/${path}`, { method, body: JSON.stringify(body) });

  await control('POST', 'inbound', { text: 'Oi', from: '5511977770002' });
  const [conversation] = await database.sql<{ _id: string }>('select _id from conversations');
  assert.ok(conversation);
  // From here on the network and the receiver are slow, so that sends and deliveries are still in flight when SIGTERM comes.
  await control('PUT', 'settings', { faults: { send: [{ kind: 'slow', ms: 6_000, times: null }] } });
  await control('PUT', 'receiver', { mode: 'ok', ms: 6_000 });
  const body = { conversationId: conversation._id, message: { content: 'Olá' } };
  const sends = Array.from({ length: SENDS }, () => call('/v1/messages/send-text', body));
  const inFlight = `select (select count(*)::int from messages where status = 'QUEUED') as sends,
    (select count(*)::int from deliveries where status = 'SENDING') as deliveries`;
  await control('POST', 'inbound', { text: 'Alô', from: '5511977770003' });
  await waitUntil('sends and deliveries to be in flight', async () => {
    const [row] = await database.sql<{ sends: number; deliveries: number }>(inFlight);
    return row?.sends === SENDS && row.deliveries > 0;
  });
  const children = listDescendants(program.pid);
  const statuses = new Set<number>();
  const reading = readUntilClosed(() => call('/v1/inboxes'), statuses);
  await waitUntil('a first answer', () => statuses.size > 0);

  const stopped = Date.now();
  program.child.kill('SIGTERM');
  const answers = await Promise.all(
    sends.map(async (answer) => ({ status: (await answer).status, body: (await (await answer).json()) as Json })),
  );
  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.status]),
    Array.from({ length: SENDS }, () => [201, 'SENT']),
  );
  // A stop that takes longer than 15 seconds ends with 1.
  assert.equal(await program.ended, 0, program.stderr());
  t.diagnostic(`stopped in ${Date.now() - stopped} ms`);
  await reading;
  assert.deepEqual([...statuses], [200], 'a request was answered, or never accepted');
  const attempts = `select status, count(*)::int from deliveries where attempted_at is not null group by status`;
  const outcomes = await database.sql<{ status: string }>(attempts);
  assert.deepEqual(
    outcomes.map((row) => row.status),
    ['DELIVERED'],
  );
  assert.deepEqual(listLiving(children), []);
});

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

test('after SIGTERM during its start the program exits with 0 and leaves no child process', async (t) => {
  const program = spawnProgram(t, { env: { DATA_DIR: await makeDataFolder(t) } });
  // The first child process is initdb, so the program is still at the beginning of its start.
  const children = await waitUntil('its first child process', () => {
    const pids = listDescendants(program.pid);
    return pids.length > 0 && pids;
  });
  program.child.kill('SIGTERM');
  assert.equal(await program.ended, 0, program.stderr());
  await waitUntil('its children to end', () => listLiving(children).length === 0);
});

test('a second SIGTERM during the start does not keep the program from stopping in order', async (t) => {
  const folder = await makeDataFolder(t);
  const program = spawnProgram(t, { env: { DATA_DIR: folder } });
  await waitUntil('its first child process', () => listDescendants(program.pid).length > 0);
  program.child.kill('SIGTERM');
  // Once the database server runs, the program has continued its start and has noticed the first signal. While initdb creates the cluster,
  // the file contains a negative id.
  const pidFile = join(folder, 'postgres/cluster/data/postmaster.pid');
  await waitUntil(
    'its database server',
    async () => Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10) > 0,
  );
  const children = listDescendants(program.pid);
  program.child.kill('SIGTERM');
  assert.equal(await program.ended, 0, program.stderr());
  await waitUntil('its children to end', () => listLiving(children).length === 0);
});

test('when the embedded database dies, the program explains it in one sentence and exits with 1', async (t) => {
  const folder = await makeDataFolder(t);
  const program = spawnProgram(t, { env: { DATA_DIR: folder } });
  await readyUrl(program);
  const [pid] = (await readFile(join(folder, 'postgres/cluster/data/postmaster.pid'), 'utf8')).split('\n');
  const children = listDescendants(program.pid);
  process.kill(Number(pid), 'SIGKILL');
  assert.equal(await program.ended, 1);
  assert.match(program.stderr(), /^parley: the embedded PostgreSQL \(pid \d+\) ended by itself: .*\n$/);
  await waitUntil('its children to end', () => listLiving(children).length === 0);
});
