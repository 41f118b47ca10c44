/**
 * Benchmark (f): the whole flow in one process, from callbacks to the last event at its receiver, compared with pgbench running only the
 * statements that
 * store messages, at 16 clients; and the same for a single caller.
 */
import { Pool } from 'undici';
import { openBareLoop } from './bare-store.ts';
import { makeKnown, openCaller, type Caller } from './callbacks.ts';
import { median, percentile, measureRate, ratio, type Figure } from './measure.ts';
import { runPgbench } from './pgbench.ts';
import { spawnProgram, type Spawned, type Stage } from './stage.ts';
import { openWire } from './wire.ts';

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
  await makeKnown(caller.call, CLIENTS, PEOPLE);
  await makeKnown(bare.work, 1, PEOPLE);
  const few: Flow[] = [];
  const many: Flow[] = [];
  const limits: number[] = [];
  const alone: number[] = [];
  const bareAlone: number[] = [];
  await flow(receiver, caller, WIDTHS.many);
  for (let round = 0; round < ROUNDS; round += 1) {
    few.push(await flow(receiver, caller, WIDTHS.few));
    many.push(await flow(receiver, caller, WIDTHS.many));
    alone.push(await measureRate(caller.call, 1, ROUND_MS / 4));
    await receiver.settled();
    limits.push(await paused(stage, platform, () => storeBarely(stage, bare.work)));
    bareAlone.push(await paused(stage, platform, () => measureRate(bare.work, 1, ROUND_MS / 4)));
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
    loneFigure(1000 / median(alone), 1000 / median(bareAlone)),
    reported('(f) the answer, 16 callers', timesIn(few)),
    reported('(f) the answer, 64 callers', timesIn(many)),
    reported('(f) round trips a flush, 16 callers', trips),
  ];
}

interface Flow {
  perSecond: number;
  /** The times of the answers in milliseconds. */
  times: number[];
}

const medianRate = (flows: Flow[]): number => median(flows.map(({ perSecond }) => perSecond));

function timesIn(flows: Flow[]): string {
  const [p50, p99] = [50, 99].map((share) => median(flows.map(({ times }) => percentile(times, share))));
  return `p50 ${p50?.toFixed(1)} ms, p99 ${p99?.toFixed(1)} ms`;
}

const reported = (name: string, value: string): Figure => ({ name, value, goal: 'reported', met: true });

const loneFigure = (callbackMs: number, bareMs: number): Figure => ({
  name: '(f) one caller alone / its bare statements',
  value: `${(callbackMs / bareMs).toFixed(2)} (${callbackMs.toFixed(2)} ms of ${bareMs.toFixed(2)} ms)`,
  goal: '<= 2',
  met: callbackMs / bareMs <= 2,
});

/** Sends callbacks for a while and measures until the last event has arrived. */
async function flow(receiver: Receiver, caller: Caller, width: number): Promise<Flow> {
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

/** Stores messages by pgbench or, where it is not installed, by the slower bare loop. */
async function storeBarely(stage: Stage, work: () => Promise<void>): Promise<number> {
  const options = { people: PEOPLE, connections: CLIENTS, seconds: ROUND_MS / 1000 };
  return (await runPgbench(stage.database.ownerUrl, options)) ?? measureRate(work, CLIENTS, ROUND_MS);
}

/** Runs the work while the platform's process is stopped, because it would deliver what is queued here. */
async function paused<T>(stage: Stage, { child }: Spawned, work: () => Promise<T>): Promise<T> {
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

/** Counts the round trips in a run of its own, because counting takes time. */
async function countTrips(stage: Stage, receiver: Receiver): Promise<string> {
  const wire = await openWire(stage.database.url);
  const platform = await startAll(stage, wire.url);
  const caller = openCaller(platform.url, stage, { connections: WIDTHS.few, people: PEOPLE });
  await measureRate(caller.call, WIDTHS.few, ROUND_MS / 4);
  wire.read();
  const { times } = await flow(receiver, caller, WIDTHS.few);
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
  /** Resolves when no delivery waits. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Points the demo company's webhook to a receiver, for received messages only, so that each callback is one delivery. */
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
