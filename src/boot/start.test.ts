/** The start of a process, on a database of the operator and with the settings that it has by default. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, mock, test } from 'node:test';
import pg from 'pg';
import { openTestDatabase } from '../../test/support/database.ts';
import type { Json } from '../../test/support/platform.ts';
import { makeDataFolder } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { loadConfig } from '../config.ts';
import { createLog } from '../platform/work/telemetry.ts';
import { start } from './start.ts';

// Nothing else waits for so many seconds.
const WAIT_SECONDS = 77;
/** The connections of the job queue's pool; all other pools have more. */
const JOB_CONNECTIONS = 3;

/** The uses of connection pools, each with whether the server of the API had been made before. */
const uses: { pool: pg.Pool; isBuilt: boolean }[] = [];
let isBuilt = false;
const { connect } = pg.Pool.prototype;
mock.method(pg.Pool.prototype, 'connect', function use(this: pg.Pool, ...given: Parameters<typeof connect>) {
  uses.push({ pool: this, isBuilt });
  return connect.apply(this, given);
});
const { createServer: createHttpServer } = http;
mock.method(http, 'createServer', (...given: Parameters<typeof createHttpServer>) => {
  isBuilt = true;
  return createHttpServer(...given);
});

const database = await openTestDatabase();
after(() => database.close());
const folder = await makeDataFolder({ after });
const env = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' };
const config = loadConfig({ ...env, DATABASE_WAIT: `${WAIT_SECONDS}s` });
const running = await start(config, 'all', { log: createLog('silent') });
after(running.stop);
const { company_id: company, company_key: key } = JSON.parse(
  await readFile(join(folder, 'credentials.json'), 'utf8'),
) as Json;

async function call(status: number, method: string, path: string, body?: object): Promise<Json> {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(running.url + path, { method, headers, body: body ? JSON.stringify(body) : null });
  const parsed = (await answer.json()) as Json;
  assert.equal(answer.status, status, JSON.stringify(parsed));
  return parsed;
}

test('the job queue asks the database for nothing before the API is built, which blocks the process for longer than a query may take', async () => {
  await waitUntil('the maintenance of the job queue to run', async () => {
    const rows = await database.sql('select from pgboss.version where cron_on is not null and flow_on is not null');
    return rows.length > 0;
  });
  const ofJobs = uses.filter(({ pool }) => pool.options.max === JOB_CONNECTIONS);
  assert.ok(ofJobs.length > 0);
  assert.deepEqual(new Set(ofJobs.map((use) => use.isBuilt)), new Set([true]));
});

test('without OUTBOUND_ALLOW no webhook can name this machine, and one that names it all the same is FAILED without a connection', async (t) => {
  let connections = 0;
  const receiver = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.after(() => receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const webhook = { url, events: ['CONTACT_CREATED'] };
  const refused = await call(400, 'POST', '/v1/webhooks', webhook);
  assert.equal(refused.code, 'TARGET_NOT_ALLOWED');
  assert.match(refused.detail, /OUTBOUND_ALLOW/);
  const { _id } = await call(201, 'POST', '/v1/webhooks', { ...webhook, url: 'https://93.184.216.34/' });
  await database.sql('update webhooks set url = $2 where _id = $1', [_id, url]);
  await call(201, 'POST', '/v1/contacts', { name: 'Ana' });
  const delivery = await waitUntil('the delivery to end', async () => {
    const { result } = await call(200, 'GET', '/v1/webhooks/deliveries');
    return result.find(({ status }: Json) => status === 'FAILED');
  });
  assert.equal(delivery.error, 'BLOCKED');
  assert.equal(connections, 0);
});

test('files of companies are kept in the data folder when no bucket is configured', async () => {
  const path = `${company}/attachments/greeting.txt`;
  const content = Readable.from([Buffer.from('hello')]);
  await running.kit.files.put(path, content, { maxBytes: 5, contentType: 'text/plain' });
  assert.equal(await readFile(join(folder, 'files', path), 'utf8'), 'hello');
});

test('an installation without a gateway to LinkedIn makes no links for a log-in, and says which setting is missing', async () => {
  const { _id } = await call(201, 'POST', '/v1/inboxes', { channel: 'PROFESSIONAL_NETWORK', name: 'LinkedIn' });
  const refused = await call(400, 'POST', `/v1/inboxes/${_id}/connect-link`, {});
  assert.equal(refused.code, 'LOG_IN_NOT_SUPPORTED');
  assert.match(refused.detail, /NETWORK_API_URL/);
});

// All pools have been used by now.
test('callers of each connection pool wait for a connection as long as DATABASE_WAIT says, and for a lock no longer than a statement may take', async () => {
  const pools = new Set(uses.map(({ pool }) => pool).filter(({ options }) => options.application_name === 'parley'));
  const waits = [...pools].map(async (pool) => {
    const { rows } = await pool.query<{ lock_timeout: string }>('show lock_timeout');
    return [pool.options.connectionTimeoutMillis, rows[0]?.lock_timeout];
  });
  assert.deepEqual(
    await Promise.all(waits),
    // Those of transactions, of reads, of the system, and of the job queue.
    [1, 2, 3, 4].map(() => [WAIT_SECONDS * 1_000, '4500ms']),
  );
});
