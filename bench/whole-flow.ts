/**
 * Benchmark (f): the whole flow in one process, from callbacks to the last event at its receiver, compared with
 * pgbench running only the statements that store messages, at 16 clients; and the same for a single caller.
 */
import { Pool } from 'undici';
import { createBareLoop } from './bare-store.ts';
import { postOncePerPerson, openCallbackCaller, type CallbackCaller } from './callbacks.ts';
import { median, percentile, measureRate, makeRatioFigure, type Figure } from './measure.ts';
import { runPgbench } from './pgbench.ts';
import { spawnProgram, type SpawnedProgram, type BenchStage } from './stage.ts';
import { openCountingProxy } from './wire.ts';

const PEOPLE = 300;
const WIDTHS = { few: 16, many: 64 };
const CLIENTS = 16;
const ROUNDS = 3;
const ROUND_MS = 4_000;

export async function benchWholeFlow(stage: BenchStage): Promise<Figure[]> {
  const receiver = await openReceiver(stage);
  const platform = await startAll(stage, stage.database.url);
  const caller = openCallbackCaller(platform.url, stage, { connections: WIDTHS.many, people: PEOPLE });
  const bare = await createBareLoop(stage, { connections: CLIENTS, people: PEOPLE });
  await postOncePerPerson(caller.call, CLIENTS, PEOPLE);
  await postOncePerPerson(bare.work, 1, PEOPLE);
  await receiver.settled();
  const few: MeasuredFlow[] = [];
  const many: MeasuredFlow[] = [];
  const limits: number[] = [];
  const alone: number[] = [];
  const bareAlone: number[] = [];
  await measureFlow(receiver, caller, WIDTHS.many);
  for (let round = 0; round < ROUNDS; round += 1) {
    few.push(await measureFlow(receiver, caller, WIDTHS.few));
    many.push(await measureFlow(receiver, caller, WIDTHS.many));
    alone.push(await measureRate(caller.call, 1, ROUND_MS / 4));
    await receiver.settled();
    limits.push(await runWhileStopped(stage, platform, () => measureBareStore(stage, bare.work)));
    bareAlone.push(await runWhileStopped(stage, platform, () => measureRate(bare.work, 1, ROUND_MS / 4)));
  }
  await caller.close();
  await bare.close();
  await platform.stop();
  const trips = await countTrips(stage, receiver);
  await receiver.close();
  const limit = median(limits);
  return [
    makeRatioFigure('(f) stored and delivered, 16 callers / pgbench', medianRate(few), limit, 1),
    makeRatioFigure('(f) stored and delivered, 64 callers / pgbench', medianRate(many), limit, 1.5),
    makeLoneFigure(1000 / median(alone), 1000 / median(bareAlone)),
    makeReportedFigure('(f) the answer, 16 callers', formatTimes(few)),
    makeReportedFigure('(f) the answer, 64 callers', formatTimes(many)),
    makeReportedFigure('(f) round trips a flush, 16 callers', trips),
  ];
}

interface MeasuredFlow {
  perSecond: number;
  /** The answer times of the callbacks in milliseconds. */
  times: number[];
}

const medianRate = (flows: MeasuredFlow[]): number => median(flows.map(({ perSecond }) => perSecond));

function formatTimes(flows: MeasuredFlow[]): string {
  const [p50, p99] = [50, 99].map((share) => median(flows.map(({ times }) => percentile(times, share))));
  return `p50 ${p50?.toFixed(1)} ms, p99 ${p99?.toFixed(1)} ms`;
}

const makeReportedFigure = (name: string, value: string): Figure => ({ name, value, goal: 'reported', met: true });

const makeLoneFigure = (callbackMs: number, bareMs: number): Figure => ({
  name: '(f) one caller alone / its bare statements',
  value: `${(callbackMs / bareMs).toFixed(2)} (${callbackMs.toFixed(2)} ms of ${bareMs.toFixed(2)} ms)`,
  goal: '<= 2',
  met: callbackMs / bareMs <= 2,
});

/** Sends callbacks for ROUND_MS and measures until the last event has arrived at the receiver. */
async function measureFlow(receiver: CountingReceiver, caller: CallbackCaller, width: number): Promise<MeasuredFlow> {
  const before = await receiver.received();
  const times: number[] = [];
  const startedMs = performance.now();
  await measureRate(
    async () => {
      const calledMs = performance.now();
      await caller.call();
      times.push(performance.now() - calledMs);
    },
    width,
    ROUND_MS,
  );
  await receiver.reach(before + times.length);
  return { perSecond: (times.length * 1000) / (performance.now() - startedMs), times };
}

/** Measures storing messages without the platform: by pgbench or, where it is not installed, by the slower bare loop. */
async function measureBareStore(stage: BenchStage, work: () => Promise<void>): Promise<number> {
  const options = { people: PEOPLE, connections: CLIENTS, seconds: ROUND_MS / 1000 };
  return (await runPgbench(stage.database.ownerUrl, options)) ?? measureRate(work, CLIENTS, ROUND_MS);
}

/**
 * Runs the work while the platform's process is stopped (SIGSTOP), because the platform would deliver the events that the work enqueues.
 */
async function runWhileStopped<T>(stage: BenchStage, { child }: SpawnedProgram, work: () => Promise<T>): Promise<T> {
  child.kill('SIGSTOP');
  try {
    return await work();
  } finally {
    await stage.database.sql(
      `with taken as (delete from delivery_queue returning company_id, delivery_id)
        delete from deliveries d using taken t where d.company_id = t.company_id and d._id = t.delivery_id`,
    );
    child.kill('SIGCONT');
  }
}

const startAll = (stage: BenchStage, databaseUrl: string): Promise<SpawnedProgram> =>
  spawnProgram('src/launch.js', ['all'], { ...stage.env, DATABASE_URL: databaseUrl, OUTBOUND_ALLOW: '127.0.0.0/8' });

/** Counts the round trips to the database in a separate run, because counting takes time. */
async function countTrips(stage: BenchStage, receiver: CountingReceiver): Promise<string> {
  const wire = await openCountingProxy(stage.database.url);
  const platform = await startAll(stage, wire.url);
  const caller = openCallbackCaller(platform.url, stage, { connections: WIDTHS.few, people: PEOPLE });
  await measureRate(caller.call, WIDTHS.few, ROUND_MS / 4);
  wire.read();
  const { times } = await measureFlow(receiver, caller, WIDTHS.few);
  const { flushes, trips } = wire.read();
  await caller.close();
  await platform.stop();
  await wire.close();
  return `${(trips / flushes).toFixed(1)} for ${(times.length / flushes).toFixed(1)} messages`;
}

interface CountingReceiver {
  received(): Promise<number>;
  /** Resolves when this many deliveries have been received. */
  reach(count: number): Promise<void>;
  /** Resolves when no delivery is queued or under way. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a receiver. It gets only the demo company's events about received messages, so that each callback leads to exactly one delivery. */
async function openReceiver({ database, company }: BenchStage): Promise<CountingReceiver> {
  const peer = await spawnProgram('bench/peers/receiver.ts', [], {});
  const pool = new Pool(peer.url, { connections: 1 });
  await database.sql(`update webhooks set url = $2, events = '{MESSAGE_RECEIVED}' where company_id = $1`, [
    company,
    `${peer.url}/hook`,
  ]);
  await database.sql(`delete from event_listeners where company_id = $1 and event <> 'MESSAGE_RECEIVED'`, [company]);
  const received = async (): Promise<number> => {
    const { body } = await pool.request({ method: 'GET', path: '/' });
    return Number(await body.text());
  };
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  return {
    received,
    reach: async (count) => {
      while ((await received()) < count) await pause();
    },
    settled: async () => {
      const open = `select 1 from deliveries where status in ('QUEUED', 'SENDING') limit 1`;
      while ((await database.sql(open)).length > 0) await pause();
    },
    close: async () => {
      await pool.close();
      await peer.stop();
    },
  };
}
