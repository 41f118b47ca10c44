/** Databases for tests: a real PostgreSQL server with one migrated template database, which each test file clones. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { connectionUrl, startEmbeddedPostgres } from '../../src/platform/store/embedded-postgres.ts';
import { sessionStatement, type PoolLimits } from '../../src/platform/store/db.ts';
import { migrateJobs } from '../../src/platform/work/jobs.ts';
import { createLogin, migrate } from '../../src/platform/store/migrations.ts';
import { queues } from '../../src/worker.ts';

/** The migrated database that each test file clones. */
export const TEMPLATE = 'parley_template';
/** A file system in memory. A clone of the template has a thousand files, and there it takes a quarter of the CPU time that a disk needs. */
const MEMORY = '/dev/shm';
/** The server uses it when so much is free: several times what the databases and the log of a run take. */
const MEMORY_BYTES = 6 * 1024 ** 3;

export interface ServerAddress {
  host: string;
  port: number;
  /** The password of the superuser `postgres`, who migrates, clones and reads all rows. */
  ownerPassword: string;
  /** The password of `parley`, the user of the platform. */
  password: string;
}

export interface TestServer {
  address: ServerAddress;
  close(): Promise<void>;
}

/**
 * Starts a server. With `durable: false` it does not wait for the disk, which is enough for tests that never crash the
 * server. A test that crashes a server uses its own, and a measurement waits for the disk as a real installation does.
 */
export async function openTestServer({ durable } = { durable: true }): Promise<TestServer> {
  const folder = await mkdtemp(join(durable ? tmpdir() : await findFastFolder(), 'parley-test-'));
  // Six test files at a time share the server, some of them with three processes of the platform, each of which may open a hundred connections.
  const shared = { fsync: 'off', full_page_writes: 'off', max_connections: '1000' };
  const settings = durable ? {} : shared;
  const server = await startEmbeddedPostgres(join(folder, 'postgres'), () => undefined, settings);
  const address: ServerAddress = {
    host: server.host,
    port: server.port,
    ownerPassword: server.password,
    password: randomBytes(16).toString('hex'),
  };
  await runAsOwner(address, 'postgres', async (client) => {
    // Tests open thousands of connections, and for each of them both ends would hash the password 4,096 times.
    await client.query('alter system set scram_iterations = 1');
    await client.query('select pg_reload_conf()');
    await client.query(`set scram_iterations = 1; alter role postgres password '${address.ownerPassword}'`);
    await client.query(`create database ${TEMPLATE}`);
  });
  await migrate(makeOwnerUrl(address, TEMPLATE), (url) => migrateJobs(url, queues()));
  await createLogin(makeOwnerUrl(address, TEMPLATE), address.password);
  return {
    address,
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findFastFolder(): Promise<string> {
  const freeBytes = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    // Failure policy: where there is no such file system, the server uses the disk.
    () => 0,
  );
  return freeBytes >= MEMORY_BYTES ? MEMORY : tmpdir();
}

function makeOwnerUrl(address: ServerAddress, database: string): string {
  return connectionUrl({ ...address, user: 'postgres', password: address.ownerPassword, database });
}

async function runAsOwner<T>(
  address: ServerAddress,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: makeOwnerUrl(address, database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export interface TestDatabase {
  /** The address for the platform, whose user is bound by row-level security. */
  url: string;
  ownerUrl: string;
  /** Runs any SQL as the owner, who sees the rows of all companies. A statement with a name is planned once. */
  sql<R = Record<string, unknown>>(text: string, values?: unknown[], statement?: string): Promise<R[]>;
  close(): Promise<void>;
}

/**
 * Clones the template database. With the test runner's global set-up this takes some 30 ms; a test file that runs alone starts its own
 * server.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  const shared = process.env['PARLEY_TEST_SERVER'];
  const own = shared ? null : await openTestServer();
  const address = own?.address ?? (JSON.parse(shared ?? '') as ServerAddress);
  const name = `t_${randomBytes(6).toString('hex')}`;
  await cloneTemplate(address, name);
  const pool = new pg.Pool({ connectionString: makeOwnerUrl(address, name), max: 2 });
  pool.on('error', () => undefined);
  return {
    url: connectionUrl({ ...address, user: 'parley', database: name }),
    ownerUrl: makeOwnerUrl(address, name),
    sql: async <R>(text: string, values: unknown[] = [], statement?: string) =>
      (await pool.query({ text, values, ...(statement ? { name: statement } : {}) })).rows as R[],
    close: async () => {
      await pool.end();
      await runAsOwner(address, 'postgres', (client) => client.query(`drop database if exists ${name} with (force)`));
      await own?.close();
    },
  };
}

/** Clones the template database, and retries while another test file clones it, because PostgreSQL allows only one clone at a time. */
async function cloneTemplate(address: ServerAddress, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runAsOwner(address, 'postgres', (client) =>
        client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`),
      );
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55006' || attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Connects with the role and the limits of a pool of the platform. */
export async function connectAs(
  role: string,
  { url }: Pick<TestDatabase, 'url'>,
  limits?: PoolLimits,
): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sessionStatement(role, limits));
  return client;
}

/** Returns where the server of a database listens: a Unix socket, or a host and a port. */
export function readDatabaseSocket(url: string): { path: string } | { host: string; port: number } {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) };
}
