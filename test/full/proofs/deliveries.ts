/**
 * Deliveries while their workers are killed: events are queued in slices; in each slice a blow falls at a seeded moment (a
 * worker dies by kill -9 or stands still, the database dies by an immediate stop or is cut off). Afterwards the store's
 * account is compared with the receiver's.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { emit } from '../../../src/platform/events.ts';
import { newId } from '../../../src/platform/ids.ts';
import { until } from '../../support/wait.ts';
import { chanceOf, type Chance } from '../harness/chance.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { startReceiver, type Receiver } from '../harness/receiver.ts';
import { call, listen, onStage, type Stage, type Tenant } from '../harness/stage.ts';

export interface DeliveriesSize {
  events: number;
  /** Workers ended by kill -9. */
  kills?: number;
  /** Immediate stops of the database. */
  restarts?: number;
  /** Workers that stand still (SIGSTOP) for longer than their lease, and go on. */
  stops?: number;
  /** Times in which the network to the database swallows everything. */
  freezes?: number;
  seed: number;
}

export interface DeliveriesAccount {
  events: number;
  delivered: number;
  failed: number;
  unknown: number;
  receipts: number;
  blows: number;
}

const WORKERS = 3;
const COMPANIES = 8;
// The platform's own default; what a killed process can leave in the air.
const SLOTS = 64;
const EVENT = 'MESSAGE_RECEIVED';
const BATCH = 100;
// Every so many receipts the receiver refuses, so that FAILED has an account of its own.
const REFUSED_EVERY = 25;
// 15 s of lease, 5 s until the next sweep, and a machine that is busy with other things.
const SETTLE_MS = 90_000;

interface Play {
  stage: Stage;
  tenants: Tenant[];
  workers: PlatformProcess[];
  receiver: Receiver;
  chance: Chance;
  /** Moments at which something was killed. */
  blowsMs: number[];
}

export async function proveDeliveries(size: DeliveriesSize): Promise<DeliveriesAccount> {
  const { events, seed, kills = 0, restarts = 0, stops = 0, freezes = 0 } = size;
  return onStage({ killable: restarts + freezes > 0 }, async (stage) => {
    const chance = chanceOf(seed);
    // Slow enough that a kill finds attempts in the air.
    const receiver = await startReceiver(({ resource }) => ({
      status: isRefused(resource) ? 500 : 204,
      afterMs: 10 + chance.int(60),
    }));
    try {
      const api = await stage.start('api');
      const tenants = await Promise.all(
        Array.from({ length: COMPANIES }, (_, n) => stage.createTenant(`Company ${n}`)),
      );
      for (const [n, tenant] of tenants.entries()) await listen(api, tenant, `${receiver.url}/${n}`, [EVENT]);
      const workers = await Promise.all(Array.from({ length: WORKERS }, () => stage.start('worker')));
      const play: Play = { stage, tenants, workers, receiver, chance, blowsMs: [] };
      const blows = [...many(kills, killAndRestart), ...many(restarts, restartStore)];
      blows.push(...many(stops, stopAndGoOn), ...many(freezes, freezeAndThaw));
      await runSlices(play, events, chance.shuffle(blows));
      await settle(play);
      return await audit(play, events, api);
    } finally {
      await receiver.close();
    }
  });
}

/** Ids count up, so the last digits are spread evenly. */
const isRefused = (resource: string): boolean => Number.parseInt(resource.slice(-4), 16) % REFUSED_EVERY === 0;

type Blow = (play: Play) => Promise<void>;

const many = (count: number, blow: Blow): Blow[] => Array.from({ length: count }, () => blow);

async function runSlices(play: Play, events: number, blows: Blow[]): Promise<void> {
  const { chance, receiver } = play;
  const slice = Math.floor(events / (blows.length + 1));
  for (const strike of blows) {
    const before = receiver.receipts.length;
    const point = before + 1 + chance.int(Math.max(1, Math.floor(slice / 2)));
    await queue(play, slice);
    await until('the moment of the blow', () => receiver.receipts.length >= point, 60_000);
    await strike(play);
  }
  await queue(play, events - slice * blows.length);
}

async function queue({ stage, tenants, chance }: Play, count: number): Promise<void> {
  for (let left = count; left > 0; left -= BATCH) {
    const { _id: company } = chance.pick(tenants);
    const items = Array.from({ length: Math.min(left, BATCH) }, () => ({
      event: EVENT as 'MESSAGE_RECEIVED',
      data: { _id: newId(), company },
    }));
    await stage.database.tenantTx(company, (tx) => emit(tx, items));
  }
}

async function killAndRestart({ workers, chance, blowsMs }: Play): Promise<void> {
  const worker = chance.pick(workers);
  await worker.kill();
  blowsMs.push(Date.now());
  await worker.restart();
}

async function restartStore({ stage, blowsMs }: Play): Promise<void> {
  await stage.store.crash();
  blowsMs.push(Date.now());
  await stage.store.revive();
}

// Longer than the lease and the sweep after it: the others have given the attempts up when the worker goes on.
const STILL_MS = 25_000;

async function stopAndGoOn({ workers, chance, blowsMs }: Play): Promise<void> {
  const { pid } = chance.pick(workers);
  blowsMs.push(Date.now());
  process.kill(pid, 'SIGSTOP');
  await sleep(STILL_MS);
  process.kill(pid, 'SIGCONT');
}

// Longer than any statement may take, so that every process has given its connections up.
const CUT_OFF_MS = 10_000;

async function freezeAndThaw({ stage, blowsMs }: Play): Promise<void> {
  stage.store.freeze(true);
  blowsMs.push(Date.now());
  await sleep(CUT_OFF_MS);
  stage.store.freeze(false);
}

async function countByStatus({ stage }: Play): Promise<Record<string, number>> {
  const rows = await stage.store.sql<{ status: string; count: number }>(
    'select status, count(*)::int as count from deliveries group by status',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

async function settle(play: Play): Promise<void> {
  // As long as deliveries arrive the wait goes on: a long run has a long queue.
  for (let seen = -1; seen < play.receiver.receipts.length;) {
    seen = play.receiver.receipts.length;
    const settled = await until(
      'every delivery to be settled',
      async () => {
        const { QUEUED = 0, SENDING = 0 } = await countByStatus(play);
        if (QUEUED + SENDING === 0) return 'settled';
        return play.receiver.receipts.length > seen + BATCH ? 'moving' : null;
      },
      SETTLE_MS,
    );
    if (settled === 'settled') return;
  }
}

interface Row {
  company: string;
  _id: string;
  resource_id: string;
  status: string;
  attempted: number;
}

async function audit(play: Play, events: number, api: PlatformProcess): Promise<DeliveriesAccount> {
  const { receiver, stage, workers, blowsMs } = play;
  for (const worker of workers) assert.ok(worker.alive, `a worker ended by itself: ${worker.lines().join('\n')}`);
  const rows = await stage.store.sql<Row>(
    `select company_id as company, _id, resource_id, status, extract(epoch from attempted_at)::float * 1000 as attempted from deliveries`,
  );
  const twice = [...receiver.counts].filter(([, count]) => count > 1);
  assert.deepEqual(twice, [], 'a delivery was received twice');
  assert.equal(rows.length, events, 'a queued event has no delivery, or two');
  const count = { DELIVERED: 0, FAILED: 0, UNKNOWN: 0 } as Record<string, number>;
  for (const row of rows) {
    const receipts = receiver.counts.get(row.resource_id) ?? 0;
    count[row.status] = (count[row.status] ?? 0) + 1;
    if (row.status === 'DELIVERED') assert.deepEqual([receipts, isRefused(row.resource_id)], [1, false], row._id);
    if (row.status === 'FAILED') assert.deepEqual([receipts, isRefused(row.resource_id)], [1, true], row._id);
    if (row.status === 'UNKNOWN') assertInTheAir(play, row);
  }
  const { DELIVERED: delivered = 0, FAILED: failed = 0, UNKNOWN: unknown = 0 } = count;
  assert.equal(delivered + failed + unknown, events, `unsettled: ${JSON.stringify(count)}`);
  const most = SLOTS * WORKERS * blowsMs.length;
  assert.ok(unknown <= most, `${unknown} UNKNOWN, but at most ${most} were in the air`);
  assert.equal(await listUnknown(play, api), unknown, 'the log does not list every UNKNOWN');
  return { events, delivered, failed, unknown, receipts: receiver.receipts.length, blows: blowsMs.length };
}

// An attempt lasts 10 s at most; the claim's commit and this clock are a moment apart.
const AIR_MS = 10_500;

/** Only a blow makes an outcome unknown. */
function assertInTheAir({ blowsMs }: Play, row: Row): void {
  const struck = blowsMs.some((at) => row.attempted <= at + 500 && row.attempted >= at - AIR_MS);
  assert.ok(struck, `${row._id} is UNKNOWN, but nothing was killed while it was attempted`);
}

/** What the companies themselves can see. */
async function listUnknown({ tenants }: Play, api: PlatformProcess): Promise<number> {
  let listed = 0;
  for (const { key } of tenants) {
    const page = await call(200, 'GET', `${api.url}/v1/webhooks/deliveries?status=UNKNOWN&limit=1`, { key });
    listed += page.meta.totalCount as number;
  }
  return listed;
}
