/** Background jobs on pg-boss, for work that is rare. A job is enqueued in the same transaction as the change that requires it. */
import type { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import type { Static, TSchema } from 'typebox';
import { closePool, isStorageFull, openPool, type Executor } from '../store/db.ts';
import { ROLES } from '../store/roles.ts';
import { queryOnce } from '../store/unanswered.ts';
import { inBackground } from './background.ts';
import { newId } from '../values/ids.ts';
import { createJobAttempts, type JobAttempts, type FetchedJob } from './job-attempts.ts';
import { takeByCompany, type QueueWorker } from './job-slots.ts';
import type { DueWork } from './due-work.ts';
import { UNGUARDED, type Storage } from '../store/storage.ts';
import { describeError, type Log } from './telemetry.ts';
import type { SystemTx, TenantTx } from '../store/tenant.ts';

export const QUEUE_SCHEMA = 'pgboss';
// The interval at which a worker polls by itself, in case the wake-up for a due job fails.
const POLL_SECONDS = 300;
const BATCH = 10;
const STOP_MS = 10_000;
const KEPT_SECONDS = 7 * 86_400;
const WAITS_SECONDS = 14 * 86_400;
// How often the records of old jobs are deleted.
const UPKEEP_SECONDS = 60;
// How often due cron jobs are looked for, and turned into jobs: both at most every 45 s, as pg-boss allows.
const CRON_SECONDS = 45;

export interface Job<T extends TSchema> {
  name: string;
  data: T;
  /** The number of attempts after the first one, with growing pauses; 0 for a job that must not be repeated. */
  retries: number;
  /** The pause before the first retry, in seconds. It doubles with each retry. */
  retryDelaySeconds: number;
  /**
   * For a long job: when its worker has sent no heartbeat for this time (at least 10), it counts as dead, and another worker takes over.
   */
  heartbeatSeconds?: number;
  /** How long the record of an ended job is kept; a week when absent. Short for jobs whose data names people. */
  keptSeconds?: number;
  /** How long a job waits for a worker before it is dropped; two weeks when absent. Short for jobs that are useless when they are late. */
  waitsSeconds?: number;
  /** True for a job that calls a network which its company has chosen: a company's jobs then leave room for those of others. Its data names the company. */
  isByCompany?: boolean;
  /** How many of these jobs by company run at the same time in a process, if fewer than usual. */
  slots?: number;
  /** A schedule: minute, hour, day, month, weekday, in UTC. */
  cron?: string;
}

export const defineJob = <T extends TSchema>(job: Job<T>): Job<T> => job;

export type Enqueue = <T extends TSchema>(
  tx: TenantTx | SystemTx,
  job: Job<T>,
  data: Static<T>,
  /** `key`: at most one job with this key waits in the queue. `delaySeconds`: the job begins after this time. */
  options?: { key?: string; delaySeconds?: number },
) => Promise<void>;

export interface JobWork<T extends TSchema> {
  job: Job<T>;
  /** `retry` is 0 in the first attempt, and the job's `retries` in the last one. */
  handle: (data: Static<T>, retry: number) => Promise<void>;
}

export interface Jobs {
  /**
   * Starts the queue. Called before all other functions, and while the event loop is not blocked, because its queries fail when no
   * connection is free within a second.
   */
  start(): Promise<void>;
  enqueue: Enqueue;
  work<T extends TSchema>(worked: JobWork<T>): Promise<void>;
  /**
   * Returns the poll for jobs that other processes have enqueued in these queues. Jobs of this process begin as soon as they are committed.
   */
  dueWork(queues: string[]): DueWork;
  /** Takes no further jobs and waits for the running jobs, which can still enqueue others. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}

/** An adapter that lets pg-boss run its SQL inside a transaction of the platform. */
function toBossDatabase(executor: Executor) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({
      // The statements have no name and are not prepared, because pg-boss builds new texts all the time.
      rows: await executor.query<Record<string, unknown>>({ name: '', text, values }),
    }),
  };
}

/** Creates the tables of pg-boss and all queues. `npm run migrate` calls it with the connection of the database's owner. */
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
  /** True in a process that runs jobs; such a process also runs schedules and maintenance. */
  worker: boolean;
  log: Log;
  /** The state of the disk space: no job is taken while the disk is too full. */
  storage?: Storage;
  upkeepSeconds?: number;
  /** How many milliseconds a statement of the queue waits for a connection. */
  waitMs?: number;
}

function createBoss(pool: Pool, { worker, upkeepSeconds = UPKEEP_SECONDS }: JobsOptions): PgBoss {
  return new PgBoss({
    db: {
      executeSql: (text, values) => queryOnce(pool, values ? { text, values } : { text }),
    },
    schema: QUEUE_SCHEMA,
    migrate: false,
    createSchema: false,
    supervise: worker,
    superviseIntervalSeconds: upkeepSeconds,
    maintenanceIntervalSeconds: upkeepSeconds,
    schedule: worker,
    cronMonitorIntervalSeconds: CRON_SECONDS,
    cronWorkerIntervalSeconds: CRON_SECONDS,
  });
}

export function openJobs(opened: JobsOptions): Jobs {
  const { log, worker, storage = UNGUARDED } = opened;
  const pool = openPool(opened.url, ROLES.system, worker ? 3 : 1, { waitMs: opened.waitMs });
  const boss = createBoss(pool, opened);
  // Failure policy: pg-boss recovers by itself when the database is back; the error is only logged.
  boss.on('error', (error) => log.warn({ err: error }, 'jobs: the queue reports an error'));
  const attempts = createJobAttempts(pool);
  const taking = fetchWhileDiskHasRoom(storage, log);
  return {
    start: async () => {
      await boss.start();
      if (worker) await attempts.purge();
    },
    enqueue: async (tx, job, data, options = {}) => {
      await boss.send(job.name, data as object, {
        db: toBossDatabase(tx),
        // Without a unique key all jobs would share the empty key, and only one of them could wait in the queue.
        singletonKey: options.key ?? newId(),
        ...(job.isByCompany ? { group: { id: (data as { company: string }).company } } : {}),
        ...(options.delaySeconds ? { startAfter: options.delaySeconds } : {}),
      });
      if (!options.delaySeconds) tx.afterCommit(() => taking.wake([job.name]));
    },
    work: async ({ job, handle }) => {
      const context = { boss, log, attempts, room: taking.room };
      await taking.begin(job.name, () => takeJobs(context, { job, handle }));
      if (job.cron) await boss.schedule(job.name, job.cron, {}, { tz: 'UTC' });
    },
    dueWork: (queues) => ({ due: dueQueuesSql(queues), begin: (names) => taking.wake(names as string[]) }),
    rest: taking.end,
    stop: async () => {
      await boss.stop({ graceful: true, timeout: STOP_MS });
      await closePool(pool);
    },
  };
}

/** Returns SQL that finds the queues with a job that is due now. The SQL uses an index, so jobs for a later time cost nothing. */
const dueQueuesSql = (queues: string[]): string => `select array_agg(queue.name)
    from unnest(array[${queues.map((name) => `'${name}'`).join()}]::text[]) as queue (name)
    where exists (select from ${QUEUE_SCHEMA}.job j where j.name = queue.name and j.state < 'active' and j.start_after <= now())`;

interface JobFetching {
  /** Begins to take jobs of a queue, now or as soon as the disk has free space. */
  begin(name: string, work: () => Promise<QueueWorker>): Promise<void>;
  /** Makes the workers of these queues look for jobs now, if this process has such workers. */
  wake(queues: string[]): void;
  /** Waits until the disk has free space again and resolves to true; resolves to false when a job should not wait. */
  room(): Promise<boolean>;
  /** Takes no further jobs and waits for the running jobs. */
  end(): Promise<void>;
}

/** Takes jobs only while the disk has free space. On a full disk a job would only fail and use up its retries. */
function fetchWhileDiskHasRoom(storage: Storage, log: Log): JobFetching {
  const queues = new Map<string, () => Promise<QueueWorker>>();
  const workers = new Map<string, QueueWorker>();
  const waiting = new Set<(hasRoom: boolean) => void>();
  let isTaking = storage.hasRoom;
  let hasEnded = false;
  let turn: Promise<unknown> = Promise.resolve();

  async function follow(): Promise<void> {
    if (hasEnded || isTaking === storage.hasRoom) return;
    isTaking = storage.hasRoom;
    await (isTaking ? Promise.all([...queues].map(([name, work]) => begin(name, work))) : endAll(false));
  }

  async function begin(name: string, work: () => Promise<QueueWorker>): Promise<void> {
    workers.set(name, await work());
  }

  async function endAll(wait: boolean): Promise<void> {
    const ending = [...workers.values()];
    workers.clear();
    await Promise.all(ending.map((worker) => worker.end(wait)));
  }

  function release(hasRoom: boolean): void {
    for (const resolve of waiting) resolve(hasRoom);
    waiting.clear();
  }

  const stopFollowing = storage.onChange(() => {
    // Failure policy: workers that could not be started or stopped stay as they are until the next change.
    turn = turn.then(follow).catch((error: unknown) => log.warn({ err: error }, 'jobs: taking could not be changed'));
    if (storage.hasRoom) release(true);
  });
  return {
    begin: async (name, work) => {
      queues.set(name, work);
      if (isTaking) await begin(name, work);
    },
    wake: (names) => {
      for (const name of names) workers.get(name)?.wake();
    },
    room: async () => !storage.hasRoom && !hasEnded && new Promise<boolean>((resolve) => waiting.add(resolve)),
    end: async () => {
      hasEnded = true;
      stopFollowing();
      release(false);
      await turn;
      await endAll(true);
    },
  };
}

interface BatchContext {
  boss: PgBoss;
  log: Log;
  attempts: JobAttempts;
  room: JobFetching['room'];
}

/** Begins to take the jobs of a queue: in batches, or by company. */
async function takeJobs<T extends TSchema>(context: BatchContext, worked: JobWork<T>): Promise<QueueWorker> {
  const { boss } = context;
  const { name, isByCompany } = worked.job;
  if (isByCompany)
    return takeByCompany<Static<T>>(context, worked.job, async (job) => {
      await handleBatch(context, worked, [job]);
      await boss.complete(name, job.id);
    });
  const poll = { pollingIntervalSeconds: POLL_SECONDS, batchSize: BATCH, perJobResults: false };
  const id = await boss.work<Static<T>>(name, poll, (batch) => handleBatch(context, worked, batch));
  return { wake: () => boss.notifyWorker(id), end: (wait) => boss.offWork(name, { wait }) };
}

/** Runs the jobs of a batch. Each job succeeds or fails on its own; a failed job is retried as its queue is configured. */
async function handleBatch<T extends TSchema>(
  { boss, log, attempts, room }: BatchContext,
  { job, handle }: JobWork<T>,
  batch: (FetchedJob & { data: Static<T> })[],
): Promise<void> {
  const work = async ({ id, data, retryCount }: FetchedJob & { data: Static<T> }): Promise<void> => {
    try {
      await inBackground(() => handle(data, retryCount));
    } catch (error) {
      // Failure policy: a job that failed because the disk is full is repeated when the disk has free space again; this does not count as a
      // retry.
      if (isStorageFull(error) && (await room())) return work({ id, data, retryCount });
      log.warn({ err: error, job: job.name, job_id: id }, 'job failed');
      await boss.fail(job.name, id, { message: describeError(error)['message'] });
    }
  };
  const giveUp = async ({ id }: { id: string }): Promise<void> => {
    log.error({ job: job.name, job_id: id }, 'job given up: its process ended twice while it ran');
    await boss.cancel(job.name, id);
  };
  // Only jobs with retries can crash a process more than once, so jobs without retries need no record.
  if (job.retries === 0) await Promise.all(batch.map(work));
  else await attempts.run(batch, work, giveUp);
}
