/** Several workers on one database, a worker that stops, and the retention of the log. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { start, type Running } from '../../boot/start.ts';
import { loadConfig } from '../../config.ts';
import { createLog } from '../../platform/work/telemetry.ts';
import {
  createAnswerGate,
  createListeningCompany,
  waitForFinishedDeliveries,
  queueEvents,
  startReceiver,
} from '../../../test/support/deliveries.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { sweepInterrupted } from './delivery-queries.ts';
import { PurgeDeliveries } from './jobs.ts';

const env = { OUTBOUND_ALLOW: '127.0.0.0/8', ENCRYPTION_KEY: 'one key for every process of it', DELIVERY_SLOTS: '4' };
env.ENCRYPTION_KEY = env.ENCRYPTION_KEY.padEnd(32, '.');
const platform = await startPlatform({ env });
const { call, database } = platform;

let gate = createAnswerGate();
gate.open();
const receiver = await startReceiver(async (response, { path }) => {
  await gate.opened;
  if (path === '/poison') return void response.writeHead(200).end('poison');
  // A worker pauses between two looks at the queue, so the receiver is slow enough that the queue lasts longer than that pause.
  setTimeout(() => response.writeHead(204).end(), 10);
});

/** Starts a second worker on the same database, which the database cannot tell from a second process. */
async function withSecondWorker(work: (worker: Running) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-worker-'));
  const JWT_SECRET = platform.running.kit.tokenSecret;
  const shared = { ...env, JWT_SECRET, DATABASE_URL: database.url };
  const config = loadConfig({ ...shared, DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  const worker = await start(config, 'worker', { log: createLog('silent') });
  try {
    await work(worker);
  } finally {
    await worker.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function deliveredBy(running: Running): Promise<number> {
  const { values } = await running.kit.metrics.deliveries.get();
  return values.find((value) => value.labels.status === 'DELIVERED')?.value ?? 0;
}

test('two workers on one database share the queue, and each delivery is sent exactly once', async () => {
  const companies = await Promise.all([1, 2, 3].map(() => createListeningCompany(platform, receiver.url)));
  await withSecondWorker(async (second) => {
    const before = await deliveredBy(platform.running);
    const queued = await Promise.all(companies.map((company) => queueEvents(platform, company._id, 100)));
    for (const company of companies) {
      const log = await waitForFinishedDeliveries(platform, company, 80);
      assert.ok(log.every((delivery) => delivery.status === 'DELIVERED'));
    }
    const arrived = receiver.received.map((item) => item.body.data._id as string).toSorted();
    assert.deepEqual(arrived, queued.flat().toSorted());
    const shares = [(await deliveredBy(platform.running)) - before, await deliveredBy(second)];
    assert.ok(Math.min(...shares) > 0, `the shares were ${shares.join(' and ')}`);
    assert.equal(shares[0]! + shares[1]!, 300);
  });
});

test('a worker that stops claims nothing more, finishes the attempts in progress, and leaves the rest to other workers', async () => {
  const company = await createListeningCompany(platform, receiver.url);
  const before = receiver.received.length;
  gate = createAnswerGate();
  let stopped = false;
  await withSecondWorker(async (second) => {
    await queueEvents(platform, company._id, 20);
    // A company whose receiver has not answered yet has two slots in each worker.
    await waitUntil('both workers to be busy', () => receiver.received.length === before + 4);
    const stopping = second.stop().then(() => (stopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(stopped, false);
    gate.open();
    await stopping;
  });
  const log = await waitForFinishedDeliveries(platform, company, 20);
  assert.ok(log.every((delivery) => delivery.status === 'DELIVERED'));
  const resources = receiver.received.slice(before).map((item) => item.body.data._id);
  assert.equal(new Set(resources).size, 20);
  assert.equal(resources.length, 20);
});

test('an outcome that the database refuses delays neither the other outcomes nor a worker that stops', async () => {
  // This constraint makes the database refuse an outcome, because no answer of a receiver is known that it refuses by itself.
  await database.sql(`alter table deliveries add constraint no_poison check (response_body <> 'poison')`);
  const poisoned = await createListeningCompany(platform, `${receiver.url}/poison`);
  const company = await createListeningCompany(platform, receiver.url);
  await withSecondWorker(async () => {
    await Promise.all([queueEvents(platform, poisoned._id, 4), queueEvents(platform, company._id, 20)]);
    const log = await waitForFinishedDeliveries(platform, company, 20);
    assert.ok(log.every((delivery) => delivery.status === 'DELIVERED'));
    await waitUntil('each to have been attempted', () => receiver.at('/poison').length === 4);
  });
  const rows = await database.sql('select 1 from delivery_attempts where company_id = $1', [poisoned._id]);
  assert.equal(rows.length, 4);
  await database.sql('alter table deliveries drop constraint no_poison');
});

test('attempts that fail before they begin give their slots back, so that later deliveries are sent (defect 12)', async () => {
  const company = await createListeningCompany(platform, receiver.url);
  const [stored] = await database.sql<{ custom_headers: string }>(
    'select custom_headers from webhooks where company_id = $1',
    [company._id],
  );
  await database.sql(`update webhooks set custom_headers = 'v1:AAAA' where company_id = $1`, [company._id]);
  await queueEvents(platform, company._id, 80);
  const failed = await waitForFinishedDeliveries(platform, company, 80);
  assert.deepEqual([...new Set(failed.map((delivery) => `${delivery.status} ${delivery.error}`))], ['FAILED INTERNAL']);
  await database.sql('update webhooks set custom_headers = $2 where company_id = $1', [
    company._id,
    stored?.custom_headers,
  ]);
  const [resource] = await queueEvents(platform, company._id, 1);
  const log = await waitForFinishedDeliveries(platform, company, 81);
  assert.equal(log.find((delivery) => delivery.resource_id === resource)?.status, 'DELIVERED');
});

test('the retention job deletes deliveries that ended longer ago than DELIVERY_RETENTION_DAYS, and no others', async () => {
  const company = await createListeningCompany(platform, receiver.url);
  const [old, young] = await queueEvents(platform, company._id, 2);
  await waitForFinishedDeliveries(platform, company, 2);
  const age = `update deliveries set queued_at = now() - $2::interval, _id = first_id(now() - $2::interval) || substr(_id, 9)
    where resource_id = $1`;
  await database.sql(age, [old, '14 days 1 minute']);
  await database.sql(age, [young, '13 days 23 hours']);
  const { kit } = platform.running;
  await kit.database.systemTx('upkeep', (tx) => kit.enqueue(tx, PurgeDeliveries, {}));
  const left = await waitUntil('the job to have run', async () => {
    const { body } = await call(200, 'GET', '/v1/webhooks/deliveries', { key: company.key });
    return body.result.length === 1 ? (body.result as Json[]) : null;
  });
  assert.deepEqual(
    left.map((delivery) => delivery.resource_id),
    [young],
  );
});

test('the job that deletes old deliveries is scheduled', async () => {
  const rows = await database.sql('select cron, timezone from pgboss.schedule where name = $1', [PurgeDeliveries.name]);
  assert.deepEqual(rows, [{ cron: PurgeDeliveries.cron, timezone: 'UTC' }]);
});

test('a claim that is visible only long after it was made, because its COMMIT waited for a standby, becomes UNKNOWN', async (t) => {
  const { _id, webhook } = await createListeningCompany(platform, receiver.url);
  const worker = new pg.Client({ connectionString: database.ownerUrl });
  await worker.connect();
  t.after(() => worker.end());
  await worker.query('begin');
  await worker.query(
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body)
      values ($1, $1, $2, 1, 'MESSAGE_SENT', $1, '{}')`,
    [_id, webhook],
  );
  await worker.query('delete from delivery_queue where company_id = $1', [_id]);
  await worker.query('insert into delivery_attempts values ($1, $1, clock_timestamp())', [_id]);
  const sweep = (): Promise<number> =>
    platform.running.kit.database.systemTx('deliveries', (tx) => sweepInterrupted(tx, 0));
  await sweep();
  await worker.query('commit');
  await sweep();
  const status = 'select status from deliveries where company_id = $1';
  assert.deepEqual(await database.sql(status, [_id]), [{ status: 'UNKNOWN' }]);
});
