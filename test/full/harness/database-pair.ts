/** A PostgreSQL server and a standby that follows it by streaming replication, each behind an address of its own. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';
import {
  connectionUrl,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../../src/platform/store/embedded-postgres.ts';
import { readPostmaster } from '../../../src/platform/store/embedded-postgres/postmaster.ts';
import { createLogin, migrate } from '../../../src/platform/store/migrations.ts';
import { migrateJobs } from '../../../src/platform/work/jobs.ts';
import { queues } from '../../../src/worker.ts';
import type { Store } from './store.ts';
import { waitUntil } from '../../support/wait.ts';

const LOOPBACK = '127.0.0.1';
const REPLICATING = {
  wal_level: 'replica',
  max_wal_senders: '10',
  hot_standby: 'on',
  max_connections: '300',
  // A standby begins with the log that the primary has written since the copy began.
  wal_keep_size: '1GB',
};

export interface PairedServer {
  port: number;
  /** Runs any SQL as the superuser. */
  sql<R = Record<string, unknown>>(text: string, values?: unknown[]): Promise<R[]>;
  /** Changes settings of the running server. */
  set(settings: Record<string, string>): Promise<void>;
  /** Ends the server as a crash of its machine does. */
  kill(): Promise<void>;
}

export interface DatabasePair {
  primary: PairedServer;
  standby: PairedServer;
  /** A store for a stage whose processes get the addresses of these servers in this order. Its SQL runs on the primary. */
  store(...servers: PairedServer[]): Store;
  /** Makes the standby the primary, after the primary was killed. */
  promote(): Promise<void>;
  /** Starts the killed server again at its address, as the standby: with a copy of the primary in a new folder. */
  rebuildStandby(): Promise<void>;
  /** Makes each COMMIT wait for the standby. Resolves when the standby has everything. */
  makeSynchronous(): Promise<void>;
  close(): Promise<void>;
}

interface OpenServer extends PairedServer {
  embedded: EmbeddedPostgres;
  home: string;
  close(): Promise<void>;
}

export async function openDatabasePair(): Promise<DatabasePair> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-pair-'));
  const makeHome = (): Promise<string> => mkdtemp(join(folder, 'server-'));
  const primary = await openServer(await makeHome());
  const ownerUrl = connectionUrl({ ...primary.embedded, host: LOOPBACK });
  await migrate(ownerUrl, (url) => migrateJobs(url, queues()));
  const password = randomBytes(16).toString('hex');
  await createLogin(ownerUrl, password);
  const running = { primary, standby: await copyServer(primary, await makeHome()) };
  return {
    get primary() {
      return running.primary;
    },
    get standby() {
      return running.standby;
    },
    store: (...servers) => ({
      url: `postgres://parley:${password}@${servers.map(({ port }) => `${LOOPBACK}:${port}`).join()}/${primary.embedded.database}`,
      ownerUrl,
      sql: (text, values) => running.primary.sql(text, values),
      crash: never,
      revive: never,
      freeze: never,
      close: async () => undefined,
    }),
    promote: async () => {
      await running.standby.sql('select pg_promote()');
      [running.primary, running.standby] = [running.standby, running.primary];
    },
    rebuildStandby: async () => {
      const { port, home, close } = running.standby;
      await close();
      await rm(home, { recursive: true, force: true });
      running.standby = await copyServer(running.primary, await makeHome(), { port: String(port) });
    },
    makeSynchronous: () => makeSynchronous(running.primary),
    close: async () => {
      await Promise.all([running.primary.close(), running.standby.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const never = (): never => {
  throw new Error('the servers of a pair are killed one by one');
};

async function makeSynchronous(primary: PairedServer): Promise<void> {
  await primary.set({ synchronous_standby_names: '*' });
  const [now] = await primary.sql<{ place: string }>('select pg_current_wal_lsn()::text as place');
  // What was committed before a COMMIT waited for the standby may still be missing there.
  const settled = `select from pg_stat_replication where sync_state = 'sync' and state = 'streaming' and flush_lsn >= $1`;
  await waitUntil('the standby to be synchronous', async () => (await primary.sql(settled, [now?.place])).length === 1);
}

/** Opens a standby in `home` that follows the running server. */
async function copyServer(
  { embedded, home }: OpenServer,
  copyHome: string,
  settings: Record<string, string> = {},
): Promise<OpenServer> {
  await copyRunning(embedded, { from: join(home, 'cluster'), to: join(copyHome, 'cluster') });
  const { port, user, password } = embedded;
  const primary_conninfo = `host=${LOOPBACK} port=${port} user=${user} password=${password}`;
  return openServer(copyHome, { ...settings, primary_conninfo });
}

/** Copies the files of a running server for a standby. The embedded binaries have no pg_basebackup. */
async function copyRunning(server: EmbeddedPostgres, { from, to }: { from: string; to: string }): Promise<void> {
  const client = new pg.Client({ connectionString: connectionUrl({ ...server, host: LOOPBACK }) });
  await client.connect();
  await client.query(`select pg_backup_start('standby', true)`);
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const copied = join(to, relative(from, path));
    if (entry.isDirectory()) await mkdir(copied, { recursive: true, mode: 0o700 });
    else if (entry.isFile() && !/postmaster\.(pid|opts)$|\/pg_wal\//.test(path)) await copyIfPresent(path, copied);
  }
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  await writeFile(join(to, 'data/backup_label'), rows[0]?.labelfile ?? '');
  await writeFile(join(to, 'data/standby.signal'), '');
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to).catch((error: unknown) => {
    // Failure policy: what the server has removed since, the log of the server removes from the copy as well.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}

async function openServer(home: string, own: Record<string, string> = {}): Promise<OpenServer> {
  const embedded = await startEmbeddedPostgres(home, () => undefined, { ...REPLICATING, ...own });
  const pool = new pg.Pool({ connectionString: connectionUrl({ ...embedded, host: LOOPBACK }), max: 4 });
  pool.on('error', () => undefined);
  const sql = async <R>(text: string, values: unknown[] = []): Promise<R[]> =>
    (await pool.query(text, values)).rows as R[];
  return {
    embedded,
    home,
    port: embedded.port,
    sql,
    set: async (settings: Record<string, string>) => {
      const [{ loaded } = { loaded: '' }] = await sql<{ loaded: string }>('select pg_conf_load_time()::text as loaded');
      for (const [name, value] of Object.entries(settings)) await sql(`alter system set ${name} = '${value}'`);
      await sql('select pg_reload_conf()');
      await waitUntil('the server to take the settings', async () => {
        const [now] = await sql<{ loaded: string }>('select pg_conf_load_time()::text as loaded');
        return now?.loaded !== loaded;
      });
    },
    kill: async () => {
      const postmaster = await readPostmaster(join(home, 'cluster/data'));
      if (!postmaster) throw new Error('the server to kill does not run');
      process.kill(postmaster.pid, 'SIGKILL');
      await embedded.died;
    },
    close: async () => {
      await pool.end();
      await embedded.stop();
    },
  };
}
