/** A PostgreSQL server and a standby that follows it by streaming replication, each behind an address of its own. */
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
const REPLICATING = { wal_level: 'replica', max_wal_senders: '10', hot_standby: 'on', max_connections: '300' };

export interface PairedServer {
  port: number;
  /** Runs any SQL as the superuser. */
  sql<R = Record<string, unknown>>(text: string): Promise<R[]>;
  /** Changes settings of the running server. */
  set(settings: Record<string, string>): Promise<void>;
  /** Ends the server as a crash of its machine does. */
  kill(): Promise<void>;
}

export interface DatabasePair {
  primary: PairedServer;
  standby: PairedServer;
  /** A store for a stage whose processes get the addresses of these servers in this order. */
  store(...servers: PairedServer[]): Store;
  close(): Promise<void>;
}

export async function openDatabasePair(): Promise<DatabasePair> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-pair-'));
  const homes = { primary: join(folder, 'primary'), standby: join(folder, 'standby') };
  const first = await startEmbeddedPostgres(homes.primary, () => undefined, REPLICATING);
  const primary = describeServer(first, homes.primary);
  const ownerUrl = connectionUrl({ ...first, host: LOOPBACK });
  await migrate(ownerUrl, (url) => migrateJobs(url, queues()));
  const password = randomBytes(16).toString('hex');
  await createLogin(ownerUrl, password);
  await copyRunning(ownerUrl, homes);
  const second = await startEmbeddedPostgres(homes.standby, () => undefined, {
    ...REPLICATING,
    primary_conninfo: `host=${LOOPBACK} port=${first.port} user=${first.user} password=${first.password}`,
  });
  const standby = describeServer(second, homes.standby);
  return {
    primary,
    standby,
    store: (...servers) => ({
      url: `postgres://parley:${password}@${servers.map(({ port }) => `${LOOPBACK}:${port}`).join()}/${first.database}`,
      ownerUrl,
      sql: primary.sql,
      crash: never,
      revive: never,
      freeze: never,
      close: async () => undefined,
    }),
    close: async () => {
      await Promise.all([primary.close(), standby.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const never = (): never => {
  throw new Error('the servers of a pair are killed one by one');
};

/** Copies the files of a running server for a standby. The embedded binaries have no pg_basebackup. */
async function copyRunning(ownerUrl: string, homes: { primary: string; standby: string }): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query(`select pg_backup_start('standby', true)`);
  const from = join(homes.primary, 'cluster');
  const to = join(homes.standby, 'cluster');
  await cp(from, to, { recursive: true, filter: (path) => !/postmaster\.(pid|opts)$|\.s\.PGSQL/.test(path) });
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  await writeFile(join(to, 'data/backup_label'), rows[0]?.labelfile ?? '');
  await writeFile(join(to, 'data/standby.signal'), '');
}

function describeServer(server: EmbeddedPostgres, home: string) {
  const pool = new pg.Pool({ connectionString: connectionUrl({ ...server, host: LOOPBACK }), max: 4 });
  pool.on('error', () => undefined);
  const sql = async <R>(text: string): Promise<R[]> => (await pool.query(text)).rows as R[];
  return {
    port: server.port,
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
      await server.died;
    },
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}
