import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { Type } from 'typebox';
import { openTestDatabase } from '../../../test/support/database.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { toDatabaseProblem, exec, type Statement } from './db.ts';
import { newId } from '../values/ids.ts';
import { defineJob, migrateJobs, openJobs } from '../work/jobs.ts';
import { createStorageGate } from './storage.ts';
import { createLog, createMetrics } from '../work/telemetry.ts';
import { openDatabase } from './open-database.ts';

const data = Type.Object({ value: Type.String() });
const job = defineJob({ name: 'test.storage', data, retries: 1, retryDelaySeconds: 1 });
const database = await openTestDatabase();
await migrateJobs(database.ownerUrl, [job]);
after(database.close);

const raw = (text: string): Statement => ({ name: '', text, values: [] });
// Raises the error that PostgreSQL raises on a full disk.
const DISK_FULL = raw(`do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);

function open(t: TestContext) {
  const logged: string[] = [];
  const log = createLog('silent');
  Object.assign(log, {
    error: (_: object, text: string) => logged.push(text),
    info: (text: string) => logged.push(text),
  });
  const gate = createStorageGate(log, createMetrics());
  const platform = openDatabase({ url: database.url, poolSize: 4, storage: gate });
  t.after(platform.close);
  return { gate, platform, logged };
}

test('while the disk is nearly full, writes are refused, but reads and writes from the reserve go on', async (t) => {
  const { gate, platform } = open(t);
  const company = newId();
  gate.setLow(true);
  const one = raw('select 1');
  await assert.rejects(
    platform.tenantTx(company, (tx) => exec(tx, one)),
    { code: 'STORAGE_FULL', status: 503 },
  );
  await assert.rejects(
    platform.systemTx('upkeep', (tx) => exec(tx, one)),
    { code: 'STORAGE_FULL' },
  );
  assert.equal(await platform.systemTx('upkeep', (tx) => exec(tx, one), { fromReserve: true }), 1);
  assert.equal(await exec(platform.read(company), one), 1);
  assert.equal(await exec(platform.system('upkeep'), one), 1);
  gate.setLow(false);
  assert.equal(await platform.tenantTx(company, (tx) => exec(tx, one)), 1);
});

test('after the database reports a full disk, writes are tried again after a pause, and the log reports it once', async (t) => {
  const { gate, platform, logged } = open(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fail = (): Promise<number> => platform.systemTx('upkeep', (tx) => exec(tx, DISK_FULL));
  const pass = (): Promise<number> => platform.systemTx('upkeep', (tx) => exec(tx, raw('select 1')));
  for (let round = 0; round < 3; round += 1) {
    const error = await fail().catch((thrown: unknown) => thrown);
    assert.equal(toDatabaseProblem(error)?.code, 'STORAGE_FULL');
    assert.equal(gate.hasRoom, false);
    await assert.rejects(pass(), { code: 'STORAGE_FULL' });
    t.mock.timers.tick(5_000);
    assert.equal(gate.hasRoom, true);
  }
  await pass();
  await pass();
  assert.deepEqual(logged, [
    'storage: the database reports a full disk; writes are refused',
    'storage: the database has room again',
  ]);
});

test('while the disk is nearly full no job is taken, and a job that the full disk interrupts is repeated without using up a retry', async (t) => {
  const { gate, platform } = open(t);
  const running = openJobs({ url: database.url, worker: true, log: createLog('silent'), storage: gate });
  await running.start();
  const enqueue = (value: string): Promise<void> =>
    platform.systemTx('upkeep', (tx) => running.enqueue(tx, job, { value }), { fromReserve: true });
  const begun: string[] = [];
  const done: string[] = [];
  await running.work({
    job,
    handle: async ({ value }) => {
      begun.push(value);
      if (begun.length === 1) gate.setLow(true);
      await platform.systemTx('upkeep', (tx) => exec(tx, raw('select 1')));
      done.push(value);
    },
  });
  await enqueue('interrupted');
  await waitUntil('the job to be interrupted', () => begun.length === 1 && !gate.hasRoom);
  await enqueue('not taken');
  // A worker that takes jobs would have been woken by the commit within this time.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.deepEqual([begun, done], [['interrupted'], []]);
  gate.setLow(false);
  await waitUntil('both to be done', () => done.length === 2);
  assert.deepEqual(done.toSorted(), ['interrupted', 'not taken']);
  await running.rest();
  await running.stop();
  const rows = await database.sql(`select retry_count from pgboss.job where name = $1`, [job.name]);
  assert.deepEqual(rows, [{ retry_count: 0 }, { retry_count: 0 }]);
});

test('a stop does not wait for a job that waits for disk space', async (t) => {
  const { gate, platform } = open(t);
  const running = openJobs({ url: database.url, worker: true, log: createLog('silent'), storage: gate });
  await running.start();
  let begun = false;
  await running.work({
    job,
    handle: async () => {
      begun = true;
      gate.setLow(true);
      gate.admit();
    },
  });
  await platform.systemTx('upkeep', (tx) => running.enqueue(tx, job, { value: 'waits' }));
  await waitUntil('the job to wait', () => begun);
  await running.rest();
  await running.stop();
});
