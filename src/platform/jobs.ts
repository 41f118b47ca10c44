/** Work done later, on pg-boss: what is not on a hot path. A job is enqueued in the transaction of the change that asks for it. */
import { PgBoss } from 'pg-boss';
import type { Static, TSchema } from 'typebox';
import { isStorageFull, openPool, ROLES, type Executor } from './db.ts';
import { newId } from './ids.ts';
import { createAttempts, type Attempts, type Fetched } from './job-attempts.ts';
import type { DueWork } from './due-work.ts';
import { UNGUARDED, type Storage } from './storage.ts';
import { describeError, type Log } from './telemetry.ts';
import type { SystemTx, TenantTx } from './tenant.ts';

export const QUEUE_SCHEMA = 'pgboss';
// A worker is woken when a job of its queue is due. It still asks by itself, in case that fails.
const POLL_SECONDS = 30;
const BATCH = 10;
const STOP_MS = 10_000;
const KEPT_SECONDS = 7 * 86_400;
const WAITS_SECONDS = 14 * 86_400;
// Records that have stayed long enough are deleted about this often.
const UPKEEP_SECONDS = 60;

export interface Job<T extends TSchema> {
  name: string;
  data: T;
  /** Attempts after the first, with growing pauses. 0 for what must not be repeated. */
  retries: number;
  /** First pause before a retry, in seconds; doubles each time. */
  retryDelaySeconds: number;
  /** Of a long one: a worker that is silent for so long, 10 at least, has died, and another takes over. */
  heartbeatSeconds?: number;
  /** Of one whose data names people: how long its record stays once it has ended; a week when absent. */
  keptSeconds?: number;
  /** Of one that helps nobody any more when it is late: how long it waits for a worker; two weeks when absent. */
  waitsSeconds?: number;
  /** Minute hour day month weekday, UTC. */
  cron?: string;
}

export const defineJob = <T extends TSchema>(job: Job<T>): Job<T> => job;

export type Enqueue = <T extends TSchema>(
  tx: TenantTx | SystemTx,
  job: Job<T>,
  data: Static<T>,
  /** `key`: only one waiting job with this key. `delaySeconds`: not before. */
  options?: { key?: string; delaySeconds?: number },
) => Promise<void>;

export interface Worked<T extends TSchema> {
  job: Job<T>;
  handle: (data: Static<T>) => Promise<void>;
}

export interface Jobs {
  /** Before anything else, and at a moment when the event loop is free: what asks for a connection then is given up after a second. */
  start(): Promise<void>;
  enqueue: Enqueue;
  work<T extends TSchema>(worked: Worked<T>): Promise<void>;
  /** Due jobs of these queues, whoever enqueued them; what this process enqueues begins as soon as it is committed. */
  dueWork(queues: string[]): DueWork;
  /** Takes no further job, and waits for those that run; what they still ask for can be enqueued. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}

/** pg-boss speaks SQL as text and values; here it does so inside whatever transaction it is given. */
function bossDb(executor: Executor) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({
      // Without a name each statement is parsed anew: pg-boss builds its texts, so names would only pile up.
      rows: await executor.query<Record<string, unknown>>({ name: '', text, values }),
    }),
  };
}

/** Creates the queue's own tables and the queues; run by `migrate` with the owner's connection. */
export async function migrateJobs(connectionString: string, jobs: readonly Job<TSchema>[]): Promise<void> {
  const boss = new PgBoss({ connectionString, schema: QUEUE_SCHEMA, supervise: false, schedule: false, max: 1 });
  boss.on('error', () => undefined);
  await boss.start();
  try {
    for (const job of jobs) {
      const options = {
        retryLimit: job.retries,
        retryDelay: job.retryDelaySeconds,
        retryBackoff: true,
        ...(job.heartbeatSeconds ? { heartbeatSeconds: job.heartbeatSeconds } : {}),
        deleteAfterSeconds: job.keptSeconds ?? KEPT_SECONDS,
        retentionSeconds: job.waitsSeconds ?? WAITS_SECONDS,
      };
      await boss.createQueue(job.name, { ...options, policy: 'short' });
      await boss.updateQueue(job.name, options);
    }
  } finally {
    await boss.stop({ graceful: false });
  }
}

export interface JobsOptions {
  url: string;
  /** True in a process that also works: it runs schedules and upkeep. */
  worker: boolean;
  log: Log;
  /** While it has no room, no job is taken. */
  storage?: Storage;
  upkeepSeconds?: number;
}

export function openJobs({ url, worker, log, storage = UNGUARDED, upkeepSeconds = UPKEEP_SECONDS }: JobsOptions): Jobs {
  const pool = openPool(url, ROLES.system, worker ? 3 : 1);
  const boss = new PgBoss({
    db: {
      executeSql: async (text, values) => (values ? pool.query(text, values as unknown[]) : pool.query(text)),
    },
    schema: QUEUE_SCHEMA,
    migrate: false,
    createSchema: false,
    supervise: worker,
    superviseIntervalSeconds: upkeepSeconds,
    maintenanceIntervalSeconds: upkeepSeconds,
    schedule: worker,
  });
  // Failure policy: pg-boss goes on by itself when the database is back; the log says that it was away.
  boss.on('error', (error) => log.warn({ err: error }, 'jobs: the queue reports an error'));
  const attempts = createAttempts(pool);
  const taking = followStorage(boss, storage, log);
  return {
    start: async () => {
      await boss.start();
      if (worker) await attempts.purge();
    },
    enqueue: async (tx, job, data, options = {}) => {
      await boss.send(job.name, data as object, {
        db: bossDb(tx),
        // Without a key of its own a job would share the empty one, and only one of them could wait.
        singletonKey: options.key ?? newId(),
        ...(options.delaySeconds ? { startAfter: options.delaySeconds } : {}),
      });
      if (!options.delaySeconds) tx.afterCommit(() => taking.wake([job.name]));
    },
    work: async ({ job, handle }) => {
      const poll = { pollingIntervalSeconds: POLL_SECONDS, batchSize: BATCH, perJobResults: false };
      await taking.begin(job.name, () =>
        boss.work<Static<typeof job.data>>(job.name, poll, (batch) =>
          handleBatch({ boss, log, attempts, room: taking.room }, { job, handle }, batch),
        ),
      );
      if (job.cron) await boss.schedule(job.name, job.cron, {}, { tz: 'UTC' });
    },
    dueWork: (queues) => ({ due: dueQueuesSql(queues), begin: (names) => taking.wake(names as string[]) }),
    rest: taking.end,
    stop: async () => {
      await boss.stop({ graceful: true, timeout: STOP_MS });
      await pool.end();
    },
  };
}

/** The queues that have a job to be done now, found by their index: what waits for a later day is passed over. */
const dueQueuesSql = (queues: string[]): string => `select array_agg(queue.name)
    from unnest(array[${queues.map((name) => `'${name}'`).join()}]::text[]) as queue (name)
    where exists (select from ${QUEUE_SCHEMA}.job j where j.name = queue.name and j.state < 'active' and j.start_after <= now())`;

interface Taking {
  /** Begins to take jobs of a queue: now, or once there is room. `work` answers the id of its worker. */
  begin(name: string, work: () => Promise<string>): Promise<void>;
  /** Has the workers of these queues look for jobs now; there may be none in this process. */
  wake(queues: string[]): void;
  /** Resolves once there is room for what a job was refused; false when nobody is to wait for it. */
  room(): Promise<boolean>;
  /** Takes no further job, and waits for those that run. */
  end(): Promise<void>;
}

/** Takes jobs while there is room to write. Fetching one without room would only use up its tries. */
function followStorage(boss: PgBoss, storage: Storage, log: Log): Taking {
  const queues = new Map<string, () => Promise<string>>();
  const workers = new Map<string, string>();
  const waiting = new Set<(hasRoom: boolean) => void>();
  let isTaking = storage.hasRoom;
  let hasEnded = false;
  let turn: Promise<unknown> = Promise.resolve();

  async function follow(): Promise<void> {
    if (hasEnded || isTaking === storage.hasRoom) return;
    isTaking = storage.hasRoom;
    if (!isTaking) workers.clear();
    await Promise.all(
      [...queues].map(([name, work]) => (isTaking ? begin(name, work) : boss.offWork(name, { wait: false }))),
    );
  }

  async function begin(name: string, work: () => Promise<string>): Promise<void> {
    workers.set(name, await work());
  }

  function release(hasRoom: boolean): void {
    for (const resolve of waiting) resolve(hasRoom);
    waiting.clear();
  }

  const stopFollowing = storage.onChange(() => {
    // Failure policy: the workers that could not be turned stay as they are until the next change.
    turn = turn.then(follow).catch((error: unknown) => log.warn({ err: error }, 'jobs: taking could not be changed'));
    if (storage.hasRoom) release(true);
  });
  return {
    begin: async (name, work) => {
      queues.set(name, work);
      if (isTaking) await begin(name, work);
    },
    wake: (names) => {
      for (const name of names) {
        const worker = workers.get(name);
        if (worker) boss.notifyWorker(worker);
      }
    },
    room: async () => !storage.hasRoom && !hasEnded && new Promise<boolean>((resolve) => waiting.add(resolve)),
    end: async () => {
      hasEnded = true;
      stopFollowing();
      release(false);
      await turn;
      workers.clear();
      await Promise.all([...queues.keys()].map((name) => boss.offWork(name, { wait: true })));
    },
  };
}

interface Handling {
  boss: PgBoss;
  log: Log;
  attempts: Attempts;
  room: Taking['room'];
}

/** Each job of a batch succeeds or fails on its own; a failed one is retried as its queue says. */
async function handleBatch<T extends TSchema>(
  { boss, log, attempts, room }: Handling,
  { job, handle }: Worked<T>,
  batch: (Fetched & { data: Static<T> })[],
): Promise<void> {
  const work = async ({ id, data }: { id: string; data: Static<T> }): Promise<void> => {
    try {
      await handle(data);
    } catch (error) {
      // Failure policy: a job that the full disk interrupted begins again when there is room, which costs none of its tries.
      if (isStorageFull(error) && (await room())) return work({ id, data });
      log.warn({ err: error, job: job.name, job_id: id }, 'job failed');
      await boss.fail(job.name, id, { message: describeError(error)['message'] });
    }
  };
  const giveUp = async ({ id }: { id: string }): Promise<void> => {
    log.error({ job: job.name, job_id: id }, 'job given up: its process ended twice while it ran');
    await boss.cancel(job.name, id);
  };
  // One without retries never comes back.
  if (job.retries === 0) await Promise.all(batch.map(work));
  else await attempts.run(batch, work, giveUp);
}
