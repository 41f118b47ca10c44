/**
 * Takes jobs that call a network which their company has chosen. The network may never answer, so such jobs are not taken in batches, which
 * would wait for the slowest: each job has a slot, and a company has a few of them at a time.
 */
import type { PgBoss } from 'pg-boss';
import { declareLimit } from '../values/limits.ts';
import { createCompanySlots } from './claims/slots.ts';
import type { FetchedJob } from './job-attempts.ts';
import { createPump } from './pump.ts';
import type { Log } from './telemetry.ts';

/** Takes jobs of one queue. */
export interface QueueWorker {
  /** Looks for jobs now. */
  wake(): void;
  /** Takes no further jobs; resolves when the running jobs have ended, or at once if no one waits. */
  end(wait: boolean): Promise<void>;
}

const SLOTS = declareLimit(64, {
  topic: 'Networks',
  what: "Read marks, or checks of saved inboxes, at companies' networks at the same time, per kind and process",
  beyond: 'the next one waits',
});
const SLOTS_OF_COMPANY = declareLimit(8, {
  topic: 'Networks',
  what: 'Of these, per company; 2 while its network takes longer than a second',
  beyond: 'the next one waits',
});

type CompanyJob<D> = FetchedJob & { data: D & { company: string } };

/** Takes the jobs of the queue `name`, each of which names its company, `slots` at a time. */
export function takeByCompany<D>(
  { boss, log }: { boss: PgBoss; log: Log },
  { name, slots = SLOTS }: { name: string; slots?: number },
  run: (job: CompanyJob<D>) => Promise<void>,
): QueueWorker {
  const companies = createCompanySlots(SLOTS_OF_COMPANY);
  const running = new Set<Promise<void>>();
  const ending = new AbortController();
  let isAsked = false;

  // Failure policy: the database did not answer. The queue retries the job when its time has expired.
  const endQuietly = (work: Promise<void>, id: string): Promise<void> =>
    work.catch((error: unknown) => log.warn({ err: error, job: name, job_id: id }, 'jobs: an end could not be stored'));

  async function takeOne(): Promise<boolean> {
    if (ending.signal.aborted || companies.busy() >= slots) return false;
    const ignoreGroups = [...companies.free()].flatMap(([company, free]) => (free > 0 ? [] : [company]));
    const [job] = await boss.fetch<D & { company: string }>(name, { batchSize: 1, ignoreGroups });
    if (!job) return false;
    const slot = companies.begin(job.data.company);
    const ended = endQuietly(run(job), job.id).finally(() => {
      slot.free();
      running.delete(ended);
      look();
    });
    running.add(ended);
    return true;
  }

  async function takeAll(): Promise<void> {
    isAsked = false;
    try {
      while (await takeOne());
    } catch (error) {
      // Failure policy: the jobs stay in the queue, and the next look follows when a job is due or has ended.
      log.warn({ err: error, job: name }, 'jobs: none could be taken');
    }
  }

  const pump = createPump((looking) => isAsked && looking === 0, takeAll);
  const look = (): void => {
    isAsked = true;
    pump.wake();
  };
  look();
  return {
    wake: look,
    end: async (wait) => {
      ending.abort();
      if (!wait) return;
      await pump.rest();
      await Promise.all(running);
    },
  };
}
