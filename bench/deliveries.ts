/**
 * Benchmark (b): deliveries of 25 companies, 64 of them in flight, to a healthy receiver on this machine, compared with a bare undici loop
 * with 64 connections.
 */
import { Pool } from 'undici';
import { start } from '../src/boot/start.ts';
import { loadConfig } from '../src/config.ts';
import { sealHeaders } from '../src/features/webhooks/headers.ts';
import { newId } from '../src/platform/values/ids.ts';
import { createLog } from '../src/platform/work/telemetry.ts';
import { median, measureRate, makeRatioFigure, type Figure } from './measure.ts';
import { spawnProgram, type BenchStage } from './stage.ts';

const COMPANIES = 25;
const PER_COMPANY = 1_200;
const SLOTS = 64;
const ROUNDS = 3;
const BODY = JSON.stringify({
  event: 'MESSAGE_RECEIVED',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: { content: 'x'.repeat(700) },
});

export async function benchDeliveries(stage: BenchStage): Promise<Figure[]> {
  const receiver = await spawnProgram('bench/peers/receiver.ts', [], {});
  await seedWebhooks(stage, `${receiver.url}/hook`);
  const pool = new Pool(receiver.url, { connections: SLOTS, pipelining: 1 });
  const post = async (): Promise<void> => {
    const { body } = await pool.request({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json' },
      body: BODY,
    });
    await body.dump();
  };
  const env = { ...stage.env, OUTBOUND_ALLOW: '127.0.0.0/8' };
  const rates: number[] = [];
  const limits: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    limits.push(await measureRate(post, SLOTS, 3_000));
    await seedDeliveries(stage);
    rates.push(await measureWorker(stage, pool, env));
  }
  await pool.close();
  await receiver.stop();
  return [
    makeRatioFigure('(b) deliveries / bare undici loop', median(rates), median(limits), 0.33),
    { name: '(b) the ceiling', value: `${Math.round(Math.max(...rates))}/s`, goal: 'reported', met: true },
  ];
}

/**
 * Measures the deliveries per second of a worker process, from its first delivery to its last. The receiver counts the deliveries, so that
 * no query disturbs the database.
 */
async function measureWorker(stage: BenchStage, receiver: Pool, env: Record<string, string>): Promise<number> {
  const before = await countReceived(receiver);
  const worker = await spawnProgram('src/launch.js', ['worker'], env);
  let first = 0;
  for (let received = 0; received < COMPANIES * PER_COMPANY; received = (await countReceived(receiver)) - before) {
    if (received > 0 && first === 0) first = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const seconds = (performance.now() - first) / 1000;
  await worker.stop();
  const [bad] = await stage.database.sql<{ count: number }>(
    `select count(*)::int as count from deliveries where status <> 'DELIVERED'`,
  );
  if (bad?.count) throw new Error(`${bad.count} deliveries failed`);
  return (COMPANIES * PER_COMPANY) / seconds;
}

async function countReceived(receiver: Pool): Promise<number> {
  const { body } = await receiver.request({ method: 'GET', path: '/' });
  return Number(await body.text());
}

async function seedWebhooks(stage: BenchStage, url: string): Promise<void> {
  // The platform is started only to encrypt the headers with the installation's own key.
  const platform = await start(loadConfig(stage.env), 'api', { log: createLog('silent') });
  for (let count = 0; count < COMPANIES; count += 1) {
    const company = newId();
    await stage.database.sql(`insert into companies (_id, name) values ($1, 'Bench')`, [company]);
    await stage.database.sql(
      `insert into webhooks (company_id, _id, url, events, custom_headers) values ($1, $2, $3, '{MESSAGE_RECEIVED}', $4)`,
      [company, newId(), url, sealHeaders(platform.kit.secrets, company, { 'x-secret': 'bench' })],
    );
  }
  await platform.stop();
}

async function seedDeliveries(stage: BenchStage): Promise<void> {
  await stage.database.sql('truncate deliveries, delivery_queue, delivery_attempts');
  await stage.database.sql(
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body)
      select w.company_id, lpad(to_hex(n), 24, '0'), w._id, w.epoch, 'MESSAGE_RECEIVED', w._id, $1
      from generate_series(1, $2) n cross join (select w.* from webhooks w join companies c on c._id = w.company_id and c.name = 'Bench') w`,
    [BODY, PER_COMPANY],
  );
  await stage.database.sql('analyze deliveries, delivery_queue');
}
