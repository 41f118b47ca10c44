/** A start on a machine that is slow. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { openTestDatabase } from '../../test/support/database.ts';
import { makeDataFolder } from '../../test/support/process.ts';
import { until } from '../../test/support/wait.ts';
import { loadConfig } from '../config.ts';
import { ACQUIRE_TIMEOUT_MS } from '../platform/db.ts';
import { start } from './start.ts';

test('while the API is put together, however long that takes, nobody waits for the database in vain', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const { createServer } = http;
  t.mock.method(http, 'createServer', (...given: Parameters<typeof createServer>) => {
    // Nothing else moves meanwhile, as on a machine that is busy with compiling.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ACQUIRE_TIMEOUT_MS + 500);
    return createServer(...given);
  });
  const told: string[] = [];
  const lines = new Writable({
    write: (line, _, done) => {
      told.push(String(line));
      done();
    },
  });
  const env = { DATABASE_URL: database.url, DATA_DIR: await makeDataFolder(t), PORT: '0' };
  const running = await start(loadConfig(env), 'all', { log: pino({ level: 'warn' }, lines) });
  t.after(running.stop);
  await until('the queue to be looked after', async () => {
    const rows = await database.sql('select from pgboss.version where cron_on is not null and flow_on is not null');
    return rows.length > 0;
  });
  assert.deepEqual(told, []);
});
