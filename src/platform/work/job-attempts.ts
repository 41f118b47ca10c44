/**
 * Guards against jobs that crash their process. A job is recorded before it begins and removed when it has ended, so the records that a
 * dead process leaves are the jobs that may have killed it. They are retried one by one, and a job that kills its process again is given
 * up.
 */
import type { Pool } from 'pg';
import { queryOnce } from '../store/unanswered.ts';

/** A job as pg-boss returns it. */
export interface FetchedJob {
  id: string;
  retryCount: number;
}

export interface JobAttempts {
  /** Calls `work`, which must not throw, for each job, and `giveUp` for a job during which its process has died twice. */
  run<J extends FetchedJob>(
    jobs: J[],
    work: (job: J) => Promise<void>,
    giveUp: (job: J) => Promise<void>,
  ): Promise<void>;
  /** Deletes old records of jobs that were never retried. */
  purge(): Promise<void>;
}

// The number of deaths after which a job is given up: at the first death another job, which ran at the same time, may have been the cause.
const MOST_DEATHS = 2;
// How long a job is recorded. A job that crashes its process does so soon after its start; a job that has run for longer is not blamed when
// an operator kills the process.
const EARLY_MS = 60_000;
// How long records are kept: longer than any job waits in its queue.
const KEPT_DAYS = 30;

export function createJobAttempts(pool: Pool): JobAttempts {
  let last: Promise<void> = Promise.resolve();

  function runAlone(work: () => Promise<void>): Promise<void> {
    const next = last.then(work);
    // Failure policy: the caller receives the error; the next job begins anyway.
    last = next.catch(() => undefined);
    return next;
  }

  const forget = (ids: string[]): Promise<unknown> =>
    queryOnce(pool, { text: 'delete from job_attempts where job = any($1::uuid[])', values: [ids] });

  async function attempt<J extends FetchedJob>(jobs: J[], work: (job: J) => Promise<void>): Promise<void> {
    const ids = jobs.map(({ id }) => id);
    await queryOnce(pool, {
      text: `insert into job_attempts (job) select unnest($1::uuid[])
        on conflict (job) do update set begun = job_attempts.begun + 1, begun_at = now()`,
      values: [ids],
    });
    // Failure policy: if the records cannot be removed early, they remain until the jobs end. This matters only if the process dies
    // before.
    const early = setTimeout(() => void forget(ids).catch(() => undefined), EARLY_MS).unref();
    await Promise.all(jobs.map(work));
    clearTimeout(early);
    await forget(ids);
  }

  return {
    run: async (jobs, work, giveUp) => {
      const deaths = await countDeaths(pool, jobs);
      const suspects = jobs.filter(({ id }) => deaths.has(id));
      const others = jobs.filter(({ id }) => !deaths.has(id));
      const handle = async (job: (typeof jobs)[number]): Promise<void> => {
        if ((deaths.get(job.id) ?? 0) < MOST_DEATHS) return attempt([job], work);
        await giveUp(job);
        await forget([job.id]);
      };
      await Promise.all([
        others.length > 0 ? attempt(others, work) : null,
        ...suspects.map((job) => runAlone(() => handle(job))),
      ]);
    },
    purge: async () => {
      const text = `delete from job_attempts where begun_at < now() - make_interval(days => ${KEPT_DAYS})`;
      await queryOnce(pool, { text });
    },
  };
}

/** Returns, by job id, how often a process has died during the job. Jobs without such a death are missing. */
async function countDeaths(pool: Pool, jobs: FetchedJob[]): Promise<Map<string, number>> {
  const ids = jobs.filter(({ retryCount }) => retryCount > 0).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<{ job: string; begun: number }>(
    'select job, begun::int from job_attempts where job = any($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ job, begun }) => [job, begun]));
}
