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
import { assertMet } from '../harness/blows.ts';
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
  /** Workers that stand still (SIGSTOP) for so long, which is more than their lease, and go on. */
  stops?: number;
  stillMs?: number;
  /** Times in which the network to the database swallows everything. */
  freezes?: number;
  /** Jumps of a worker's clock, an hour ahead and back, an hour behind and back. */
  jumps?: number;
  seed: number;
}

export interface DeliveriesAccount {
  events: number;
  delivered: number;
  failed: number;
  unknown: number;
  receipts: number;
  /** Claimed ahead of a slot, of all that ended. */
  ahead: number;
  /** Claimed ahead and not begun by a worker that was struck: they went back into the queue, and were claimed again when its lease was over. */
  returned: number;
  blows: number;
  /** From the end of a stop, a cut or a jump until nothing of before it was open and the queue moved. */
  slowestRecoveryMs: number;
}

const WORKERS = 3;
const COMPANIES = 25;
// Fewer than the platform's own default: so the queue is longer than what is in the air, and workers claim ahead.
const SLOTS = 24;
// The bar: what one process that is struck may leave in doubt, in the air or with an outcome that is not written.
const MOST_UNKNOWN = 64;
const EVENT = 'MESSAGE_RECEIVED';
const BATCH = 25;
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
  /** When something was struck, and how many workers it left with attempts in the air. */
  blows: { atMs: number; workers: number }[];
  stillMs: number;
  slowestRecoveryMs: number;
}

export async function proveDeliveries(size: DeliveriesSize): Promise<DeliveriesAccount> {
  const { events, seed, kills = 0, restarts = 0, stops = 0, stillMs = STILL_MS, freezes = 0, jumps = 0 } = size;
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
      const env = { DELIVERY_SLOTS: String(SLOTS), ...(jumps > 0 && { NODE_OPTIONS: `--import=${CLOCK}` }) };
      const workers = await Promise.all(Array.from({ length: WORKERS }, () => stage.start('worker', env)));
      const play: Play = { stage, tenants, workers, receiver, chance, blows: [], stillMs, slowestRecoveryMs: 0 };
      const strikes = [...many(kills, killAndRestart), ...many(restarts, restartStore)];
      strikes.push(...many(stops, stopAndGoOn), ...many(freezes, freezeAndThaw), ...many(jumps, moveClock));
      await runSlices(play, events, chance.shuffle(strikes));
      await settle(play);
      const account = await audit(play, events, api);
      // A worker that dies in the middle of an attempt takes its outcome along.
      assertMet('an attempt', { blows: kills, met: account.unknown });
      assertMet('what was claimed ahead', { blows: kills, met: account.returned });
      return account;
    } finally {
      await receiver.close();
    }
  });
}

/** Ids count up, so the last digits are spread evenly. */
const isRefused = (resource: string): boolean => Number.parseInt(resource.slice(-4), 16) % REFUSED_EVERY === 0;

type Strike = (play: Play) => Promise<void>;

const many = (count: number, strike: Strike): Strike[] => Array.from({ length: count }, () => strike);

async function runSlices(play: Play, events: number, strikes: Strike[]): Promise<void> {
  const { chance, receiver } = play;
  const slice = Math.floor(events / (strikes.length + 1));
  for (const strike of strikes) {
    const before = receiver.receipts.length;
    const point = before + 1 + chance.int(Math.max(1, Math.floor(slice / 2)));
    await queue(play, slice);
    await until('the moment of the blow', () => receiver.receipts.length >= point, 60_000);
    await strike(play);
  }
  await queue(play, events - slice * strikes.length);
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

async function killAndRestart({ workers, chance, blows }: Play): Promise<void> {
  const worker = chance.pick(workers);
  await worker.kill();
  blows.push({ atMs: Date.now(), workers: 1 });
  await worker.restart();
}

async function restartStore({ stage, blows }: Play): Promise<void> {
  await stage.store.crash();
  blows.push({ atMs: Date.now(), workers: WORKERS });
  await stage.store.revive();
}

// Longer than the lease and the sweep after it: the others have given the attempts up when the worker goes on.
const STILL_MS = 25_000;

async function stopAndGoOn(play: Play): Promise<void> {
  const { pid } = play.chance.pick(play.workers);
  process.kill(pid, 'SIGSTOP');
  play.blows.push({ atMs: Date.now(), workers: 1 });
  await sleep(play.stillMs);
  process.kill(pid, 'SIGCONT');
  await recover(play);
}

// Longer than any statement may take, so that every process has given its connections up.
const CUT_OFF_MS = 10_000;

async function freezeAndThaw(play: Play): Promise<void> {
  const { stage, blows } = play;
  stage.store.freeze(true);
  blows.push({ atMs: Date.now(), workers: WORKERS });
  await sleep(CUT_OFF_MS);
  stage.store.freeze(false);
  // A claim that was under way is carried out now, and whoever sent it has given it up.
  blows.push({ atMs: Date.now(), workers: 0 });
  await recover(play);
}

const CLOCK = new URL('../harness/clock.ts', import.meta.url).href;

/** Nothing ends and nothing is in doubt: what a worker has in the air is timed by the database and by its own timers. */
async function moveClock(play: Play): Promise<void> {
  process.kill(play.chance.pick(play.workers).pid, 'SIGUSR2');
  await recover(play);
}

// The bar: 15 s of lease, 5 s until the next sweep, and what the others have to do.
const RECOVERY_MS = 30_000;

/** What was struck has an account, and deliveries go on. */
async function recover(play: Play): Promise<void> {
  const { stage, receiver } = play;
  const began = performance.now();
  const receipts = receiver.receipts.length;
  const [clock] = await stage.store.sql<{ now: string }>('select now()::text as now');
  const open = `select 1 from deliveries where status = 'SENDING' and claimed_at <= $1 limit 1`;
  const queued = 'select 1 from deliveries where claimed_at is null limit 1';
  await until(
    'what was struck to be settled, and the queue to move',
    async () =>
      (await stage.store.sql(open, [clock?.now])).length === 0 &&
      (receiver.receipts.length > receipts || (await stage.store.sql(queued)).length === 0),
    RECOVERY_MS,
  );
  play.slowestRecoveryMs = Math.max(play.slowestRecoveryMs, Math.round(performance.now() - began));
}

/** What keeps the account from being closed: QUEUED, else SENDING, else nothing. */
async function findUnsettled({ stage }: Play): Promise<string | null> {
  // The partial index answers the first, a walk over the table the second: so that one is asked last.
  const [queued] = await stage.store.sql('select 1 from deliveries where claimed_at is null limit 1');
  if (queued) return 'QUEUED';
  const [sending] = await stage.store.sql(`select 1 from deliveries where status = 'SENDING' limit 1`);
  return sending ? 'SENDING' : null;
}

// A look at a million rows takes a tenth of this.
const LOOK_MS = 500;

async function settle(play: Play): Promise<void> {
  const { receipts } = play.receiver;
  // A long run has a long queue: the deadline counts from the last receipt.
  let seen = receipts.length;
  for (let deadline = Date.now() + SETTLE_MS; ; await sleep(LOOK_MS)) {
    const unsettled = await findUnsettled(play);
    if (unsettled === null) return;
    if (receipts.length > seen) deadline = Date.now() + SETTLE_MS;
    assert.ok(Date.now() < deadline, `deliveries are still ${unsettled}`);
    seen = receipts.length;
  }
}

interface Row {
  company: string;
  _id: string;
  resource_id: string;
  status: string;
  error: string | null;
  ahead: boolean;
  /** It waited for longer than the lease of a dead worker, less a moment. */
  late: boolean;
  attempted: number;
}

async function audit(play: Play, events: number, api: PlatformProcess): Promise<DeliveriesAccount> {
  const { receiver, stage, workers, blows } = play;
  for (const worker of workers) assert.ok(worker.alive, `a worker ended by itself: ${worker.lines().join('\n')}`);
  const rows = await stage.store.sql<Row>(
    `select company_id as company, _id, resource_id, status, error, claimed_by is not null as ahead,
      coalesce(attempted_at - queued_at > interval '12 seconds', false) as late, extract(epoch from attempted_at)::float * 1000 as attempted from deliveries`,
  );
  const twice = [...receiver.counts].filter(([, count]) => count > 1);
  assert.deepEqual(twice, [], 'a delivery was received twice');
  assert.equal(rows.length, events, 'a queued event has no delivery, or two');
  const count = { DELIVERED: 0, FAILED: 0, UNKNOWN: 0 } as Record<string, number>;
  for (const row of rows) {
    const receipts = receiver.counts.get(row.resource_id) ?? 0;
    count[row.status] = (count[row.status] ?? 0) + 1;
    if (row.status === 'DELIVERED') assert.deepEqual([receipts, isRefused(row.resource_id)], [1, false], row._id);
    if (row.error === 'HTTP_STATUS') assert.deepEqual([receipts, isRefused(row.resource_id)], [1, true], row._id);
    else if (row.status !== 'DELIVERED') assertInTheAir(play, row);
  }
  const { DELIVERED: delivered = 0, FAILED: failed = 0, UNKNOWN: unknown = 0 } = count;
  assert.equal(delivered + failed + unknown, events, `unsettled: ${JSON.stringify(count)}`);
  const most = MOST_UNKNOWN * sum(blows.map((blow) => blow.workers));
  assert.ok(unknown <= most, `${unknown} UNKNOWN, but at most ${most} were in the air`);
  assert.equal(await listUnknown(play, api), unknown, 'the log does not list every UNKNOWN');
  const { slowestRecoveryMs } = play;
  const receipts = receiver.receipts.length;
  const ahead = rows.filter((row) => row.ahead).length;
  // Nothing else keeps a delivery waiting for so long, where the database does not stand still.
  const returned = rows.filter((row) => row.late && row.status !== 'UNKNOWN').length;
  return { events, delivered, failed, unknown, receipts, ahead, returned, blows: blows.length, slowestRecoveryMs };
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

// An attempt lasts 10 s at most; the claim's commit and this clock are a moment apart.
const AIR_MS = 10_500;

/** Only a blow makes an outcome unknown, or (to a worker that stood still until its time was over) a failure. */
function assertInTheAir({ blows }: Play, row: Row): void {
  const struck = blows.some(({ atMs }) => row.attempted <= atMs + 500 && row.attempted >= atMs - AIR_MS);
  assert.ok(struck, `${row._id} is ${row.status} (${row.error}), but nothing was struck while it was attempted`);
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
