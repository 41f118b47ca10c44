/**
 * Opens the database of this process (the embedded one, or the database of the operator), migrates it, and makes sure that row-level
 * security applies to the role of the platform.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataPath, type Config } from '../config.ts';
import { connectionUrl, startEmbeddedPostgres, type EmbeddedPostgres } from '../platform/store/embedded-postgres.ts';
import { isUnavailable } from '../platform/store/db.ts';
import { isReadOnly } from '../platform/store/hosts.ts';
import { migrateJobs } from '../platform/work/jobs.ts';
import { createLogin, findMissing, migrate } from '../platform/store/migrations.ts';
import type { Log } from '../platform/work/telemetry.ts';
import { splitHosts } from '../platform/values/host-list.ts';
import { queues } from '../worker.ts';
import { findOtherServer } from './database-answer.ts';

export interface RunningDatabase {
  url: string;
  /** The embedded server, which this process has to stop; null when the operator has a database. */
  embedded: EmbeddedPostgres | null;
}

/**
 * Starts the embedded server when the operator has no database. `mayMigrate` applies to the operator's database only; the embedded database
 * is always migrated.
 */
export async function startDatabase(config: Config, mayMigrate: boolean, log: Log): Promise<RunningDatabase> {
  const embedded = config.DATABASE_URL
    ? null
    : await startEmbeddedPostgres(dataPath(config, 'postgres'), (line) => log.warn({ postgres: line }, 'database'));
  try {
    return { url: await prepareDatabase(config, embedded, mayMigrate, log), embedded };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** Returns the connection URL for the platform, once the database has every migration and queue. */
export async function prepareDatabase(
  { DATABASE_URL }: Config,
  embedded: EmbeddedPostgres | null,
  mayMigrate: boolean,
  log: Log,
): Promise<string> {
  if (embedded) return prepareEmbedded(embedded, log);
  if (!DATABASE_URL) throw new Error('there is no database');
  const host = await waitForWritable(splitHosts(DATABASE_URL), log);
  await migrateIfNeeded(host, mayMigrate, log).catch(async (error: unknown) => {
    // Failure policy: an error of the driver does not say that something else than PostgreSQL answers; any other error is thrown as it is.
    const found = await findOtherServer(host);
    throw found === null ? error : new Error(found, { cause: error });
  });
  return DATABASE_URL;
}

// The pause between two looks for a host that accepts changes.
const LOOK_MS = 1_000;

/**
 * Returns the URL of the first host that accepts changes. Waits for one while some host is a standby, or while none of several can be reached;
 * otherwise it returns a host whose error is worth reporting.
 */
async function waitForWritable(urls: string[], log: Log): Promise<string> {
  for (let looks = 0; ; looks += 1) {
    const answers = await Promise.allSettled(urls.map(isReadOnly));
    const found = answers.findIndex((answer) => answer.status === 'fulfilled' && !answer.value);
    const isPromising = answers.some(({ status }) => status === 'fulfilled');
    const failed = answers.findIndex((answer) => answer.status === 'rejected' && !isUnavailable(answer.reason));
    if (found >= 0) return urls[found] ?? '';
    if (!isPromising && (urls.length === 1 || failed >= 0)) return urls[Math.max(0, failed)] ?? '';
    if (looks === 0) log.warn('the database accepts no changes yet: waiting for a host that does');
    await sleep(LOOK_MS);
  }
}

/** Migrates the embedded database as the superuser. The platform logs in as another user, to whom row-level security applies. */
async function prepareEmbedded(embedded: EmbeddedPostgres, log: Log): Promise<string> {
  const owner = connectionUrl(embedded);
  await migrateIfNeeded(owner, true, log);
  // The password is new at each start, so that it need not be stored.
  const password = randomBytes(24).toString('base64url');
  await createLogin(owner, password);
  return connectionUrl({ ...embedded, user: 'parley', password });
}

/** Migrates the database, unless no migration, function or queue is missing, as at most starts. */
async function migrateIfNeeded(url: string, mayMigrate: boolean, log: Log): Promise<void> {
  const wanted = queues();
  const names = wanted.map((queue) => queue.name);
  if ((await findMissing(url, names, mayMigrate)).length === 0) return;
  if (mayMigrate) {
    const ran = await migrate(url, (owner) => migrateJobs(owner, wanted));
    log.info({ migrations: ran.length }, 'the database was brought up to date');
  }
  const missing = await findMissing(url, names, mayMigrate);
  if (missing.length > 0) throw new Error(`the database lacks ${nameSome(missing)}; run npm run migrate`);
}

/** The most names in one line; a new database lacks some hundreds. */
const MAX_NAMES = 3;

function nameSome(names: string[]): string {
  const rest = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
