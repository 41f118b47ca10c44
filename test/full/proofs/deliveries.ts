/**
 * Proves webhook deliveries while failures happen. Events are enqueued in parts, and during each part one failure
 * happens at a seeded moment: a worker is killed or stopped, its clock jumps, or the database is killed or cut
 * off. Afterwards the deliveries in the database are compared with the requests that the receiver counted.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { emit } from '../../../src/platform/store/events.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { waitUntil } from '../../support/wait.ts';
import { assertWorkWasInterrupted } from '../harness/blows.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { startReceiver, type Receiver } from '../harness/receiver.ts';
import { call, createWebhook, withStage, type Stage, type Tenant } from '../harness/stage.ts';

export interface DeliveriesSize {
  events: number;
  /** The number of workers that are killed with kill -9. */
  kills?: number;
  /** The number of immediate stops of the database. */
  restarts?: number;
  /**
   * The number of workers that are stopped (SIGSTOP) for `stillMs`, which is longer than the lease of their deliveries, and then continue.
   */
  stops?: number;
  stillMs?: number;
  /** The number of times that the network to the database loses all packets. */
  freezes?: number;
  /** The number of jumps of a worker's clock: an hour ahead, back, an hour behind, and back. */
  jumps?: number;
  seed: number;
}

export interface DeliveriesResult {
  events: number;
  delivered: number;
  failed: number;
  unknown: number;
  receipts: number;
  blows: number;
  /** The longest time from the end of a failure until no delivery claimed before it was open and new deliveries were received. */
  slowestRecoveryMs: number;
}

const WORKERS = 3;
const COMPANIES = 25;
// Workers have fewer slots than by default, so that deliveries wait for slots.
const SLOTS = 24;
// The most deliveries that one failed process may leave UNKNOWN: deliveries whose attempt was under way or whose outcome was not stored.
const MOST_UNKNOWN = 64;
const EVENT = 'MESSAGE_RECEIVED';
const BATCH = 25;
// The receiver refuses one delivery in this many, so that some deliveries are FAILED.
const REFUSED_EVERY = 25;
// The time without a new receipt after which the proof fails: 15 s of lease, 5 s until the next sweep, and the rest for a busy machine.
const MOST_IDLE_MS = 90_000;

interface DeliveriesRun {
  stage: Stage;
  tenants: Tenant[];
  workers: PlatformProcess[];
  receiver: Receiver;
  chance: Chance;
  /** When each failure happened, and how many workers had attempts under way at that moment. */
  blows: { atMs: number; workers: number }[];
  stillMs: number;
  slowestRecoveryMs: number;
}

export async function proveDeliveries(size: DeliveriesSize): Promise<DeliveriesResult> {
  const { events, seed, kills = 0, restarts = 0, stops = 0, stillMs = STILL_MS, freezes = 0, jumps = 0 } = size;
  return withStage({ killable: restarts + freezes > 0 }, async (stage) => {
    const chance = createChance(seed);
    // The receiver answers slowly, so that a kill interrupts attempts.
    const receiver = await startReceiver(({ resource }) => ({
      status: isRefusedByReceiver(resource) ? 500 : 204,
      afterMs: 10 + chance.int(60),
    }));
    try {
      const api = await stage.start('api');
      const tenants = await Promise.all(
        Array.from({ length: COMPANIES }, (_, n) => stage.createTenant(`Company ${n}`)),
      );
      for (const [n, tenant] of tenants.entries()) await createWebhook(api, tenant, `${receiver.url}/${n}`, [EVENT]);
      const env = { DELIVERY_SLOTS: String(SLOTS), ...(jumps > 0 && { NODE_OPTIONS: `--import=${CLOCK}` }) };
      const workers = await Promise.all(Array.from({ length: WORKERS }, () => stage.start('worker', env)));
      const play: DeliveriesRun = {
        stage,
        tenants,
        workers,
        receiver,
        chance,
        blows: [],
        stillMs,
        slowestRecoveryMs: 0,
      };
      const failures = [
        ...repeatFailure(kills, killAndRestartWorker),
        ...repeatFailure(restarts, crashAndRestartDatabase),
      ];
      failures.push(
        ...repeatFailure(stops, pauseAndResumeWorker),
        ...repeatFailure(freezes, cutOffDatabase),
        ...repeatFailure(jumps, moveWorkerClock),
      );
      await enqueueAndCauseFailures(play, events, chance.shuffle(failures));
      await awaitOutcomes(play);
      const account = await compareWithReceipts(play, events, api);
      // The outcome of an attempt is lost when its worker dies during the attempt.
      assertWorkWasInterrupted('an attempt', { blows: kills, met: account.unknown });
      return account;
    } finally {
      await receiver.close();
    }
  });
}

/** Whether the receiver refuses the delivery about this record. Ids count up, so their last digits are evenly distributed. */
const isRefusedByReceiver = (resource: string): boolean =>
  Number.parseInt(resource.slice(-4), 16) % REFUSED_EVERY === 0;

type CauseFailure = (play: DeliveriesRun) => Promise<void>;

const repeatFailure = (count: number, causeFailure: CauseFailure): CauseFailure[] =>
  Array.from({ length: count }, () => causeFailure);

async function enqueueAndCauseFailures(play: DeliveriesRun, events: number, failures: CauseFailure[]): Promise<void> {
  const { chance, receiver } = play;
  const slice = Math.floor(events / (failures.length + 1));
  for (const causeFailure of failures) {
    const before = receiver.receipts.length;
    const point = before + 1 + chance.int(Math.max(1, Math.floor(slice / 2)));
    await enqueueEvents(play, slice);
    await waitUntil('the moment of the failure', () => receiver.receipts.length >= point);
    await causeFailure(play);
  }
  await enqueueEvents(play, events - slice * failures.length);
}

async function enqueueEvents({ stage, tenants, chance }: DeliveriesRun, count: number): Promise<void> {
  for (let left = count; left > 0; left -= BATCH) {
    const { _id: company } = chance.pick(tenants);
    const items = Array.from({ length: Math.min(left, BATCH) }, () => ({
      event: EVENT as 'MESSAGE_RECEIVED',
      data: { _id: newId(), company },
    }));
    await stage.database.tenantTx(company, (tx) => emit(tx, items));
  }
}

async function killAndRestartWorker({ workers, chance, blows }: DeliveriesRun): Promise<void> {
  const worker = chance.pick(workers);
  await worker.kill();
  blows.push({ atMs: Date.now(), workers: 1 });
  await worker.restart();
}

async function crashAndRestartDatabase({ stage, blows }: DeliveriesRun): Promise<void> {
  await stage.store.crash();
  blows.push({ atMs: Date.now(), workers: WORKERS });
  await stage.store.revive();
}

// How long a worker is stopped: longer than the lease and the time until the next sweep, so that other workers have given up its attempts.
const STILL_MS = 25_000;

async function pauseAndResumeWorker(play: DeliveriesRun): Promise<void> {
  const { pid } = play.chance.pick(play.workers);
  process.kill(pid, 'SIGSTOP');
  play.blows.push({ atMs: Date.now(), workers: 1 });
  await sleep(play.stillMs);
  process.kill(pid, 'SIGCONT');
  await awaitRecovery(play);
}

// How long the database is cut off: longer than any statement may take, so that every process has given up its connections.
const CUT_OFF_MS = 10_000;

async function cutOffDatabase(play: DeliveriesRun): Promise<void> {
  const { stage, blows } = play;
  stage.store.freeze(true);
  blows.push({ atMs: Date.now(), workers: WORKERS });
  await sleep(CUT_OFF_MS);
  stage.store.freeze(false);
  // The database now executes a claim that was under way, but the worker that sent it has given it up.
  blows.push({ atMs: Date.now(), workers: 0 });
  await awaitRecovery(play);
}

const CLOCK = new URL('../harness/clock.ts', import.meta.url).href;

/**
 * Moves the clock of one worker. No delivery may become UNKNOWN, because attempts are timed by the database and by timers, not by the
 * clock.
 */
async function moveWorkerClock(play: DeliveriesRun): Promise<void> {
  process.kill(play.chance.pick(play.workers).pid, 'SIGUSR2');
  await awaitRecovery(play);
}

// The longest recovery: 15 s of lease, 5 s until the next sweep, and the rest for the other workers.
const RECOVERY_MS = 30_000;

/** Waits until the deliveries that the failure interrupted have ended and new deliveries are received. */
async function awaitRecovery(play: DeliveriesRun): Promise<void> {
  const { stage, receiver } = play;
  const began = performance.now();
  const receipts = receiver.receipts.length;
  const [clock] = await stage.store.sql<{ now: string }>('select now()::text as now');
  const open = 'select 1 from delivery_attempts where attempted_at <= $1 limit 1';
  const queued = 'select 1 from delivery_queue limit 1';
  await waitUntil(
    'the interrupted deliveries to end and the queue to move',
    async () =>
      (await stage.store.sql(open, [clock?.now])).length === 0 &&
      (receiver.receipts.length > receipts || (await stage.store.sql(queued)).length === 0),
    RECOVERY_MS,
  );
  play.slowestRecoveryMs = Math.max(play.slowestRecoveryMs, Math.round(performance.now() - began));
}

/** Returns the status of deliveries that have not ended: QUEUED if there are any, else SENDING, else null. */
async function findOpenStatus({ stage }: DeliveriesRun): Promise<string | null> {
  const [queued] = await stage.store.sql('select 1 from delivery_queue limit 1');
  if (queued) return 'QUEUED';
  const [sending] = await stage.store.sql('select 1 from delivery_attempts limit 1');
  return sending ? 'SENDING' : null;
}

// The pause between two queries for open deliveries; over a million rows such a query takes a tenth of it.
const QUERY_PAUSE_MS = 500;

async function awaitOutcomes(play: DeliveriesRun): Promise<void> {
  const { receipts } = play.receiver;
  // A long run has a long queue, so the time limit begins anew with each receipt.
  let seen = receipts.length;
  for (let deadline = Date.now() + MOST_IDLE_MS; ; await sleep(QUERY_PAUSE_MS)) {
    const unsettled = await findOpenStatus(play);
    if (unsettled === null) return;
    if (receipts.length > seen) deadline = Date.now() + MOST_IDLE_MS;
    assert.ok(Date.now() < deadline, `deliveries are still ${unsettled}`);
    seen = receipts.length;
  }
}

interface StoredDelivery {
  company: string;
  _id: string;
  resource_id: string;
  status: string;
  error: string | null;
  attempted: number;
}

async function compareWithReceipts(
  play: DeliveriesRun,
  events: number,
  api: PlatformProcess,
): Promise<DeliveriesResult> {
  const { receiver, stage, workers, blows } = play;
  for (const worker of workers) assert.ok(worker.alive, `a worker ended by itself: ${worker.lines().join('\n')}`);
  const rows = await stage.store.sql<StoredDelivery>(
    `select company_id as company, _id, resource_id, status, error,
      extract(epoch from attempted_at)::float * 1000 as attempted from deliveries`,
  );
  const twice = [...receiver.counts].filter(([, count]) => count > 1);
  assert.deepEqual(twice, [], 'a delivery was received twice');
  assert.equal(rows.length, events, 'a queued event has no delivery, or two');
  const count = { DELIVERED: 0, FAILED: 0, UNKNOWN: 0 } as Record<string, number>;
  for (const row of rows) {
    const receipts = receiver.counts.get(row.resource_id) ?? 0;
    count[row.status] = (count[row.status] ?? 0) + 1;
    if (row.status === 'DELIVERED')
      assert.deepEqual([receipts, isRefusedByReceiver(row.resource_id)], [1, false], row._id);
    if (row.error === 'HTTP_STATUS')
      assert.deepEqual([receipts, isRefusedByReceiver(row.resource_id)], [1, true], row._id);
    else if (row.status !== 'DELIVERED') assertFailureDuringAttempt(play, row);
  }
  const { DELIVERED: delivered = 0, FAILED: failed = 0, UNKNOWN: unknown = 0 } = count;
  assert.equal(delivered + failed + unknown, events, `unsettled: ${JSON.stringify(count)}`);
  const most = MOST_UNKNOWN * sum(blows.map((blow) => blow.workers));
  assert.ok(unknown <= most, `${unknown} UNKNOWN, but at most ${most} were under way`);
  assert.equal(await countListedUnknown(play, api), unknown, 'the log does not list every UNKNOWN');
  const { slowestRecoveryMs } = play;
  const receipts = receiver.receipts.length;
  return { events, delivered, failed, unknown, receipts, blows: blows.length, slowestRecoveryMs };
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

// An attempt lasts 10 s at most, and the clocks of the database and of this process differ by a moment.
const ATTEMPT_MS = 10_500;

/** Asserts that a failure happened during the attempt: only then may an outcome be UNKNOWN, or FAILED for a worker that was stopped. */
function assertFailureDuringAttempt({ blows }: DeliveriesRun, row: StoredDelivery): void {
  const struck = blows.some(({ atMs }) => row.attempted <= atMs + 500 && row.attempted >= atMs - ATTEMPT_MS);
  assert.ok(struck, `${row._id} is ${row.status} (${row.error}), but no failure happened during its attempt`);
}

/** Counts the UNKNOWN deliveries that the API lists to their companies. */
async function countListedUnknown({ tenants }: DeliveriesRun, api: PlatformProcess): Promise<number> {
  let listed = 0;
  for (const { key } of tenants) {
    const page = await call(200, 'GET', `${api.url}/v1/webhooks/deliveries?status=UNKNOWN&limit=1`, { key });
    listed += page.meta.totalCount as number;
  }
  return listed;
}
