/** The start of a process. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { openTestDatabase } from '../../test/support/database.ts';
import { openPlatform, type Json } from '../../test/support/platform.ts';
import { makeDataFolder } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { loadConfig } from '../config.ts';
import { start } from './start.ts';

test('no database query times out while the API is built, however long that takes', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const { createServer } = http;
  t.mock.method(http, 'createServer', (...given: Parameters<typeof createServer>) => {
    // Blocks the event loop, as compiling the routes does on a slow machine.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    return createServer(...given);
  });
  const warnings: string[] = [];
  const lines = new Writable({
    write: (line, _, done) => {
      warnings.push(String(line));
      done();
    },
  });
  const env = { DATABASE_URL: database.url, DATA_DIR: await makeDataFolder(t), PORT: '0', DATABASE_WAIT: '1s' };
  const running = await start(loadConfig(env), 'all', { log: pino({ level: 'warn' }, lines) });
  t.after(running.stop);
  await waitUntil('the maintenance of the job queue to run', async () => {
    const rows = await database.sql('select from pgboss.version where cron_on is not null and flow_on is not null');
    return rows.length > 0;
  });
  assert.deepEqual(warnings, []);
});

test('files of companies are kept in the data folder when no bucket is configured', async (t) => {
  const { platform, close } = await openPlatform();
  t.after(close);
  const key = `${platform.demo._id}/attachments/greeting.txt`;
  const content = Readable.from([Buffer.from('hello')]);
  await platform.running.kit.files.put(key, content, { maxBytes: 5, contentType: 'text/plain' });
  assert.equal(await readFile(join(platform.dataDir, 'files', key), 'utf8'), 'hello');
});

test('an installation without a gateway to LinkedIn makes no links for a log-in, and says which setting is missing', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const folder = await makeDataFolder(t);
  const env = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' };
  const running = await start(loadConfig(env), 'api', { log: pino({ level: 'silent' }) });
  t.after(running.stop);
  const { company_key: key } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')) as Json;
  const post = async (path: string, body: object): Promise<Json> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(running.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.json();
  };
  const { _id } = await post('/v1/inboxes', { channel: 'PROFESSIONAL_NETWORK', name: 'LinkedIn' });
  const refused = await post(`/v1/inboxes/${_id}/connect-link`, {});
  assert.deepEqual([refused.status, refused.code], [400, 'LOG_IN_NOT_SUPPORTED']);
  assert.match(refused.detail, /NETWORK_API_URL/);
});
