/**
 * Jobs that end their process. Each is noted before it begins and forgotten when it has ended, so what a process leaves behind when
 * it dies are the jobs that may have killed it: they are begun again one by one, and one that does it again is given up.
 */
import type { Pool } from 'pg';

/** As pg-boss hands it out. */
export interface Fetched {
  id: string;
  retryCount: number;
}

export interface Attempts {
  /** Runs `work` for each job, which never throws; `giveUp` for one that has ended its process twice. */
  run<J extends Fetched>(jobs: J[], work: (job: J) => Promise<void>, giveUp: (job: J) => Promise<void>): Promise<void>;
  /** Forgets jobs that were never begun again. */
  purge(): Promise<void>;
}

// The first time it may have been another one, which ran beside it.
const MOST_DEATHS = 2;
// What ends its process does so early. A job that has run for longer is not to blame for an operator who ends the process.
const EARLY_MS = 60_000;
// Longer than any job waits in its queue.
const KEPT_DAYS = 30;

export function createAttempts(pool: Pool): Attempts {
  let last: Promise<void> = Promise.resolve();

  function alone(work: () => Promise<void>): Promise<void> {
    const next = last.then(work);
    // Failure policy: whoever asked for it is told; the next one begins all the same.
    last = next.catch(() => undefined);
    return next;
  }

  const forget = (ids: string[]): Promise<unknown> =>
    pool.query('delete from job_attempts where job = any($1::uuid[])', [ids]);

  async function attempt<J extends Fetched>(jobs: J[], work: (job: J) => Promise<void>): Promise<void> {
    const ids = jobs.map(({ id }) => id);
    await pool.query(
      `insert into job_attempts (job) select unnest($1::uuid[])
        on conflict (job) do update set begun = job_attempts.begun + 1, begun_at = now()`,
      [ids],
    );
    // Failure policy: they stay noted for longer than they should, which counts only if this process dies.
    const early = setTimeout(() => void forget(ids).catch(() => undefined), EARLY_MS).unref();
    await Promise.all(jobs.map(work));
    clearTimeout(early);
    await forget(ids);
  }

  return {
    run: async (jobs, work, giveUp) => {
      const deaths = await findDeaths(pool, jobs);
      const suspects = jobs.filter(({ id }) => deaths.has(id));
      const others = jobs.filter(({ id }) => !deaths.has(id));
      const handle = async (job: (typeof jobs)[number]): Promise<void> => {
        if ((deaths.get(job.id) ?? 0) < MOST_DEATHS) return attempt([job], work);
        await giveUp(job);
        await forget([job.id]);
      };
      await Promise.all([
        others.length > 0 ? attempt(others, work) : null,
        ...suspects.map((job) => alone(() => handle(job))),
      ]);
    },
    purge: async () => {
      await pool.query(`delete from job_attempts where begun_at < now() - make_interval(days => ${KEPT_DAYS})`);
    },
  };
}

/** How often a process died while it worked on each of them; those to which it never happened are not in it. */
async function findDeaths(pool: Pool, jobs: Fetched[]): Promise<Map<string, number>> {
  const ids = jobs.filter(({ retryCount }) => retryCount > 0).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<{ job: string; begun: number }>(
    'select job, begun::int from job_attempts where job = any($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ job, begun }) => [job, begun]));
}
