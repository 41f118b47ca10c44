/**
 * Benchmark (f): the whole flow in one process, from callbacks to the last event at its receiver, compared with
 * pgbench running only the statements that store messages, at 16 clients; and the same for a single caller.
 */
import { Pool } from 'undici';
import { openBareLoop } from './bare-store.ts';
import { postOncePerPerson, openCaller, type Caller } from './callbacks.ts';
import { median, percentile, measureRate, ratio, type Figure } from './measure.ts';
import { runPgbench } from './pgbench.ts';
import { spawnProgram, type Spawned, type Stage } from './stage.ts';
import { openCountingProxy } from './wire.ts';

const PEOPLE = 300;
const WIDTHS = { few: 16, many: 64 };
const CLIENTS = 16;
const ROUNDS = 3;
const ROUND_MS = 4_000;

export async function benchWholeFlow(stage: Stage): Promise<Figure[]> {
  const receiver = await openReceiver(stage);
  const platform = await startAll(stage, stage.database.url);
  const caller = openCaller(platform.url, stage, { connections: WIDTHS.many, people: PEOPLE });
  const bare = await openBareLoop(stage, { connections: CLIENTS, people: PEOPLE });
  await postOncePerPerson(caller.call, CLIENTS, PEOPLE);
  await postOncePerPerson(bare.work, 1, PEOPLE);
  const few: Flow[] = [];
  const many: Flow[] = [];
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
    ratio('(f) stored and delivered, 16 callers / pgbench', medianRate(few), limit, 1),
    ratio('(f) stored and delivered, 64 callers / pgbench', medianRate(many), limit, 1.5),
    makeLoneFigure(1000 / median(alone), 1000 / median(bareAlone)),
    makeReportedFigure('(f) the answer, 16 callers', formatTimes(few)),
    makeReportedFigure('(f) the answer, 64 callers', formatTimes(many)),
    makeReportedFigure('(f) round trips a flush, 16 callers', trips),
  ];
}

interface Flow {
  perSecond: number;
  /** The answer times of the callbacks in milliseconds. */
  times: number[];
}

const medianRate = (flows: Flow[]): number => median(flows.map(({ perSecond }) => perSecond));

function formatTimes(flows: Flow[]): string {
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
async function measureFlow(receiver: Receiver, caller: Caller, width: number): Promise<Flow> {
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
async function measureBareStore(stage: Stage, work: () => Promise<void>): Promise<number> {
  const options = { people: PEOPLE, connections: CLIENTS, seconds: ROUND_MS / 1000 };
  return (await runPgbench(stage.database.ownerUrl, options)) ?? measureRate(work, CLIENTS, ROUND_MS);
}

/**
 * Runs the work while the platform's process is stopped (SIGSTOP), because the platform would deliver the events that the work enqueues.
 */
async function runWhileStopped<T>(stage: Stage, { child }: Spawned, work: () => Promise<T>): Promise<T> {
  child.kill('SIGSTOP');
  try {
    return await work();
  } finally {
    await stage.database.sql('delete from deliveries where claimed_at is null');
    child.kill('SIGCONT');
  }
}

const startAll = (stage: Stage, databaseUrl: string): Promise<Spawned> =>
  spawnProgram('src/main.ts', ['all'], { ...stage.env, DATABASE_URL: databaseUrl, OUTBOUND_ALLOW: '127.0.0.0/8' });

/** Counts the round trips to the database in a separate run, because counting takes time. */
async function countTrips(stage: Stage, receiver: Receiver): Promise<string> {
  const wire = await openCountingProxy(stage.database.url);
  const platform = await startAll(stage, wire.url);
  const caller = openCaller(platform.url, stage, { connections: WIDTHS.few, people: PEOPLE });
  await measureRate(caller.call, WIDTHS.few, ROUND_MS / 4);
  wire.read();
  const { times } = await measureFlow(receiver, caller, WIDTHS.few);
  const { flushes, trips } = wire.read();
  await caller.close();
  await platform.stop();
  await wire.close();
  return `${(trips / flushes).toFixed(1)} for ${(times.length / flushes).toFixed(1)} messages`;
}

interface Receiver {
  received(): Promise<number>;
  /** Resolves when this many deliveries have been received. */
  reach(count: number): Promise<void>;
  /** Resolves when no delivery is queued or under way. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a receiver and sends it the demo company's events of received messages only, so that each callback is one delivery. */
async function openReceiver({ database, company }: Stage): Promise<Receiver> {
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
