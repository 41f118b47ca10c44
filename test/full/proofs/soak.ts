/**
 * Runs callbacks and deliveries for a long time at 70 % of the capacity of the machine. Memory, open files and dead
 * rows of the delivery queue do not grow with time, and the last callbacks are answered as quickly as the first.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportProgress } from '../../support/progress.ts';
import { createNetwork, buildNotification, buildTextElement, type SimulatedNetwork } from '../harness/network.ts';
import { percentile99 } from '../harness/percentile.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { createWebhook, withStage, createInbox } from '../harness/stage.ts';

export interface SoakSize {
  minutes: number;
  /** The most callbacks per second, because a run of hours at full speed would fill the disk. */
  mostPerSecond: number;
  /**
   * Whether growth of memory and answer times is judged. A short run shows no trend, because the first minutes only warm up the process.
   */
  judgesDrift: boolean;
}

export interface SoakResult {
  minutes: number;
  perSecond: number;
  callbacks: number;
  residentMb: number;
  slopeMbPer10Minutes: number;
  openFilesGrown: number;
  deadRowsPercent: number;
  /** The 99th percentile of the answers to callbacks, in the first tenth of the time and in the last. */
  first99Ms: number;
  last99Ms: number;
}

interface ProcessSample {
  minute: number;
  residentMb: number;
  openFiles: number;
}

const PHONE = '700000000000001';
const PEOPLE = 500;
const LANES = 32;
const SHARE = 0.7;
const CAPACITY_MS = 10_000;
const SAMPLE_MS = 10_000;
const MOST_SLOPE_MB = 1;
const MOST_DEAD_PERCENT = 20;
// The most additional open files, because connections to the receiver and to the database vary by this many.
const MOST_FILES_GROWN = 16;
const MOST_DRIFT = 1.05;
const TENTH = 0.1;

export async function proveSoak(size: SoakSize): Promise<SoakResult> {
  return withStage({}, async (stage) => {
    const receiver = await startWebhookSink();
    const network = createNetwork(stage.appSecret);
    try {
      const process = await stage.start('all');
      const tenant = await stage.createTenant('Soak');
      await createInbox(process, tenant, PHONE);
      await createWebhook(process, tenant, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, [
        'MESSAGE_RECEIVED',
      ]);
      const utmost = await postCallbacks(network, process, { forMs: CAPACITY_MS, perSecond: Number.POSITIVE_INFINITY });
      const capacity = utmost.acknowledged / (CAPACITY_MS / 1_000);
      const perSecond = Math.round(Math.min(capacity * SHARE, size.mostPerSecond));
      const forMs = size.minutes * 60_000;
      const [posted, samples] = await Promise.all([
        postCallbacks(network, process, { forMs, perSecond }),
        sampleProcess(process, forMs),
      ]);
      assert.ok(process.alive, `ended by itself: ${process.lines().join('\n')}`);
      const [row] = await stage.store.sql<{ percent: number }>(
        `select round(100.0 * n_dead_tup / greatest(1, n_live_tup + n_dead_tup))::int as percent
          from pg_stat_user_tables where relname = 'deliveries'`,
      );
      return assertNoGrowth(size, { perSecond, posted, samples, deadRowsPercent: row?.percent ?? 0 });
    } finally {
      await network.close();
      receiver.closeAllConnections();
      receiver.close();
    }
  });
}

/** Starts a receiver that keeps no receipts, because the list would grow for hours. */
async function startWebhookSink(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

let written = 0;

interface PostedCallbacks {
  acknowledged: number;
  /** The answer times in milliseconds during the first and the last tenth of the run; a list of all answer times would grow for hours. */
  firstMs: number[];
  lastMs: number[];
}

/** Posts callbacks at a steady rate. */
async function postCallbacks(
  network: SimulatedNetwork,
  process: PlatformProcess,
  pace: { forMs: number; perSecond: number },
): Promise<PostedCallbacks> {
  const started = performance.now();
  let begun = 0;
  const posted: PostedCallbacks = { acknowledged: 0, firstMs: [], lastMs: [] };
  const lane = async (): Promise<void> => {
    for (let elapsed = 0; elapsed < pace.forMs; elapsed = performance.now() - started) {
      if (begun >= (elapsed / 1_000) * pace.perSecond) {
        await sleep(5);
        continue;
      }
      begun += 1;
      written += 1;
      const element = buildTextElement(
        PHONE,
        `55119${80_000_000 + (written % PEOPLE)}`,
        `wamid.soak.${written}`,
        'Bom dia',
      );
      const asked = performance.now();
      if ((await network.post(process.url, buildNotification([element]))) === 200) posted.acknowledged += 1;
      const share = (asked - started) / pace.forMs;
      if (share < TENTH) posted.firstMs.push(performance.now() - asked);
      if (share >= 1 - TENTH) posted.lastMs.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return posted;
}

async function sampleProcess(process: PlatformProcess, forMs: number): Promise<ProcessSample[]> {
  const samples: ProcessSample[] = [];
  const started = performance.now();
  while (performance.now() - started < forMs) {
    await sleep(SAMPLE_MS);
    const status = await readFile(`/proc/${process.pid}/status`, 'utf8');
    const sample = {
      minute: (performance.now() - started) / 60_000,
      residentMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024,
      openFiles: (await readdir(`/proc/${process.pid}/fd`)).length,
    };
    samples.push(sample);
    reportProgress(`minute ${sample.minute.toFixed(1)}, ${Math.round(sample.residentMb)} MB`);
  }
  return samples;
}

interface SoakMeasurements {
  perSecond: number;
  posted: PostedCallbacks;
  samples: ProcessSample[];
  deadRowsPercent: number;
}

function assertNoGrowth(size: SoakSize, { perSecond, posted, samples, deadRowsPercent }: SoakMeasurements): SoakResult {
  const callbacks = posted.acknowledged;
  const [first99Ms, last99Ms] = [percentile99(posted.firstMs), percentile99(posted.lastMs)];
  const warm = samples.slice(Math.floor(samples.length / 4));
  const slope = 10 * estimateSlope(warm);
  const openFilesGrown = (warm.at(-1)?.openFiles ?? 0) - (warm[0]?.openFiles ?? 0);
  const residentMb = Math.round(warm.at(-1)?.residentMb ?? 0);
  assert.ok(callbacks >= 0.95 * perSecond * size.minutes * 60, `only ${callbacks} callbacks at ${perSecond} a second`);
  assert.ok(openFilesGrown <= MOST_FILES_GROWN, `${openFilesGrown} more files were open at the end`);
  assert.ok(deadRowsPercent <= MOST_DEAD_PERCENT, `${deadRowsPercent} % of the queue's rows were dead`);
  if (size.judgesDrift) {
    assert.ok(slope <= MOST_SLOPE_MB, `memory grew by ${slope.toFixed(2)} MB in ten minutes`);
    assert.ok(last99Ms <= first99Ms * MOST_DRIFT, `99 % took ${first99Ms} ms at first and ${last99Ms} ms at last`);
  }
  const slopeMbPer10Minutes = Math.round(slope * 100) / 100;
  return {
    minutes: size.minutes,
    perSecond,
    callbacks,
    residentMb,
    slopeMbPer10Minutes,
    openFilesGrown,
    deadRowsPercent,
    first99Ms,
    last99Ms,
  };
}

/** Returns the growth of memory in megabytes a minute, by least squares, because single samples vary with garbage collection. */
function estimateSlope(samples: ProcessSample[]): number {
  const mean = (pick: (sample: ProcessSample) => number): number =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const minute = mean((sample) => sample.minute);
  const resident = mean((sample) => sample.residentMb);
  const over = samples.reduce((sum, sample) => sum + (sample.minute - minute) * (sample.residentMb - resident), 0);
  const under = samples.reduce((sum, sample) => sum + (sample.minute - minute) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
