/** The database of a proof: a clone on the shared test server, or a server of its own that can be killed and restarted. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../src/platform/store/embedded-postgres.ts';
import { readPostmaster } from '../../../src/platform/store/embedded-postgres/postmaster.ts';
import { migrateJobs } from '../../../src/platform/work/jobs.ts';
import { createLogin, migrate } from '../../../src/platform/store/migrations.ts';
import { queues } from '../../../src/worker.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { reportProgress } from '../../support/progress.ts';
import { startProxy } from './proxy.ts';

export interface Store extends TestDatabase {
  /**
   * Stops the database server as `pg_ctl stop -m immediate` does: without a checkpoint, and every connection is cut. Only for a store with
   * its own server.
   */
  crash(): Promise<void>;
  /** Starts the crashed server again, behind the same address. */
  revive(): Promise<void>;
  /** While true, the network to the database loses all data. */
  freeze(frozen: boolean): void;
}

export async function openTestStore(killable: boolean): Promise<Store> {
  if (killable) return startOwnServer();
  const never = (): never => {
    throw new Error('the shared server cannot be killed');
  };
  return { ...(await openTestDatabase()), crash: never, revive: never, freeze: never };
}

async function startOwnServer(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-store-'));
  const home = join(folder, 'postgres');
  const launch = () => startEmbeddedPostgres(home, () => undefined);
  let server = await launch();
  const proxy = await startProxy();
  proxy.aim(server.port);
  const ownerUrl = `postgres://postgres:${server.password}@127.0.0.1:${proxy.port}/postgres`;
  await migrate(ownerUrl, (url) => migrateJobs(url, queues()));
  const password = randomBytes(16).toString('hex');
  await createLogin(ownerUrl, password);
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 2 });
  pool.on('error', () => undefined);
  return {
    url: `postgres://parley:${password}@127.0.0.1:${proxy.port}/postgres`,
    ownerUrl,
    sql: async <R>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as R[],
    crash: async () => {
      reportProgress('the database is crashed');
      const postmaster = await readPostmaster(join(home, 'cluster/data'));
      if (!postmaster) throw new Error('the server to crash does not run');
      process.kill(postmaster.pid, 'SIGQUIT');
      await server.died;
      proxy.aim(null);
    },
    revive: async () => {
      reportProgress('the database starts again');
      server = await launch();
      proxy.aim(server.port);
    },
    freeze: proxy.freeze,
    close: async () => {
      await pool.end();
      await proxy.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
