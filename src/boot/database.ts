/** The database behind this process: the embedded one, or the operator's; up to date, and under a role that row security binds. */
import { randomBytes } from 'node:crypto';
import { dataPath, type Config } from '../config.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../platform/embedded-postgres.ts';
import { migrateJobs } from '../platform/jobs.ts';
import { createLogin, findMissing, migrate } from '../platform/migrations.ts';
import type { Log } from '../platform/telemetry.ts';
import { queues } from '../worker.ts';

export interface RunningDatabase {
  url: string;
  /** The embedded server, which this process has to stop. */
  embedded: EmbeddedPostgres | null;
}

/** Starts the embedded server where the operator has none. `mayMigrate` counts for the operator's alone: the embedded one is always brought up to date. */
export async function openStore(config: Config, mayMigrate: boolean, log: Log): Promise<RunningDatabase> {
  const embedded = config.DATABASE_URL
    ? null
    : await startEmbeddedPostgres(dataPath(config, 'postgres'), (line) => log.warn({ postgres: line }, 'database'));
  try {
    return { url: await prepareStore(config, embedded, mayMigrate, log), embedded };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** Answers the address for the platform, once everything is there that it needs. */
export async function prepareStore(
  { DATABASE_URL }: Config,
  embedded: EmbeddedPostgres | null,
  mayMigrate: boolean,
  log: Log,
): Promise<string> {
  if (embedded) return prepareEmbedded(embedded, log);
  if (!DATABASE_URL) throw new Error('there is no database');
  await bringUpToDate(DATABASE_URL, mayMigrate, log);
  return DATABASE_URL;
}

/** The superuser only migrates; the platform logs in as a user who is none. */
async function prepareEmbedded(embedded: EmbeddedPostgres, log: Log): Promise<string> {
  const address = `${embedded.host}:${embedded.port}/${embedded.database}`;
  const owner = `postgres://${embedded.user}:${encodeURIComponent(embedded.password)}@${address}`;
  await bringUpToDate(owner, true, log);
  // Made anew at each start: nobody has to keep it.
  const password = randomBytes(24).toString('base64url');
  await createLogin(owner, password);
  return `postgres://parley:${password}@${address}`;
}

/** Looks first: most starts find nothing to do. */
async function bringUpToDate(url: string, mayMigrate: boolean, log: Log): Promise<void> {
  const wanted = queues();
  const names = wanted.map((queue) => queue.name);
  if ((await findMissing(url, names)).length === 0) return;
  if (mayMigrate) {
    const ran = await migrate(url, (owner) => migrateJobs(owner, wanted));
    log.info({ migrations: ran }, 'the database was brought up to date');
  }
  const missing = await findMissing(url, names);
  if (missing.length > 0) throw new Error(`the database lacks ${missing.join(', ')}; run npm run migrate`);
}
