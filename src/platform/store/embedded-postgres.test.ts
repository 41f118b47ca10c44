import assert from 'node:assert/strict';
import { execSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { findPostgresBinaries, type Launcher } from './embedded-postgres/binaries.ts';
import { openCluster } from './embedded-postgres/cluster.ts';
import { isPostmasterOf, killOrphanedBackends, readPostmaster } from './embedded-postgres/postmaster.ts';
import { launchServer } from './embedded-postgres/server.ts';

const isWindows = process.platform === 'win32';
const isRoot = process.getuid?.() === 0;
const ignoreLog = () => {};
/** A data folder that most tests share, because initdb takes longer than such a test. */
let initialised: string;

before(async () => {
  initialised = await createFolder();
  await (await startEmbeddedPostgres(initialised, ignoreLog)).stop();
});

after(() => removeFolder(initialised));

test('after a restart the embedded database has the same rows and the same password', async (t) => {
  const folder = useFolder(t);
  const first = await startServer(t, folder);
  await query(first, 'drop table if exists kept; create table kept as select 1 as row');
  await first.stop();
  const second = await startServer(t, folder);
  assert.deepEqual(await query(second, 'select * from kept'), [{ row: 1 }]);
  assert.equal(second.password, first.password);
});

test('the embedded server listens on loopback and on a socket of its folder only, requires the password, and its files are readable by their owner only', async (t) => {
  const folder = useFolder(t);
  const socketFolder = join(folder, 'cluster');
  const server = await startServer(t, folder);
  await assert.rejects(query({ ...server, password: 'guess' }, 'select 1'), { code: '28P01' });
  const settings = `select current_setting('listen_addresses') as tcp, current_setting('unix_socket_directories') as unix`;
  assert.deepEqual(await query(server, settings), [
    { tcp: '127.0.0.1', unix: isWindows ? '' : JSON.stringify(socketFolder) },
  ]);
  const modes = await Promise.all([folder, socketFolder, join(socketFolder, 'password')].map((path) => stat(path)));
  if (isWindows) return;
  for (const { mode } of modes) assert.equal(mode & 0o077, 0);
});

test('a server in a folder whose path is too long for a socket is reached through loopback', async (t) => {
  const folder = join(useFolder(t), 'deep'.repeat(20));
  const server = await startServer(t, folder);
  assert.equal(server.host, '127.0.0.1');
  assert.deepEqual(await query(server, 'select 1 as row'), [{ row: 1 }]);
});

test('the socket of a killed server is removed at the next start', async (t) => {
  if (isWindows) return t.skip('there are no such sockets');
  const folder = useFolder(t);
  const killed = await startServer(t, folder);
  process.kill(await readServerPid(folder), 'SIGKILL');
  await killed.died;
  const { port } = await startServer(t, folder);
  const sockets = (await readdir(join(folder, 'cluster'))).filter((name) => name.startsWith('.s.PGSQL'));
  assert.deepEqual(sockets.toSorted(), [`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`]);
});

test('the embedded database folds the case of non-ASCII letters and builds trigrams of them', async (t) => {
  const server = await startServer(t, useFolder(t));
  await query(server, 'create extension if not exists pg_trgm');
  const rows = await query(server, `select lower('SÃO ЖЁ') as folded, similarity('привет', 'привет!') as similar`);
  assert.deepEqual(rows, [{ folded: 'são жё', similar: 1 }]);
});

test('when the embedded server is killed, its death is reported, and after the next start every committed row is there', async (t) => {
  const folder = useFolder(t);
  const server = await startServer(t, folder);
  await query(server, 'drop table if exists kept; create table kept as select 1 as row');
  const pid = await readServerPid(folder);
  process.kill(pid, 'SIGKILL');
  assert.match(await server.died, new RegExp(`\\(pid ${pid}\\) ended by itself: signal SIGKILL`));
  assert.deepEqual(await query(await startServer(t, folder), 'select * from kept'), [{ row: 1 }]);
});

test('a statement that is still running after its server was killed does not prevent the next start', async (t) => {
  if (process.platform !== 'linux') return t.skip('elsewhere such a statement is waited for');
  const server = await startServer(t, useFolder(t));
  // The statement never pauses, so its backend does not notice that the server is dead.
  const endless = query(server, 'select count(*) from generate_series(1, 1e12::bigint)').catch(ignoreLog);
  const running = `select 1 from pg_stat_activity where state = 'active' and query like '%series(1, 1e12%' and pid <> pg_backend_pid()`;
  while ((await query(server, running)).length === 0) await sleep(5);
  process.kill(await readServerPid(initialised), 'SIGKILL');
  await server.died;
  await startServer(t, initialised);
  await endless;
});

test('a warning of the embedded server is logged, and a failed statement is not', async (t) => {
  const lines: string[] = [];
  const server = await startEmbeddedPostgres(useFolder(t), (line) => lines.push(line));
  t.after(() => server.stop());
  await assert.rejects(query(server, `select 'private'::int`));
  await query(server, `do $$ begin raise warning 'heed this'; end $$`);
  await waitUntil('the line', () => lines.length > 0);
  await server.stop();
  assert.deepEqual(lines, ['WARNING:  heed this']);
});

test('the next process on the data folder takes over the database server of a killed process, watches it and stops it', async (t) => {
  const folder = useFolder(t);
  const holder = await startHolder(t, folder);
  const pid = await readServerPid(folder);
  holder.kill('SIGKILL');
  await once(holder, 'exit');

  const adopted = await startServer(t, folder);
  assert.equal(await readServerPid(folder), pid);
  await query(adopted, 'drop table if exists kept; create table kept as select 1 as row');
  await adopted.stop();
  assert.equal(await isServerRunning(folder, pid), false);

  const next = await startServer(t, folder);
  assert.notEqual(await readServerPid(folder), pid);
  assert.deepEqual(await query(next, 'select * from kept'), [{ row: 1 }]);
});

test('the death of a database server that was taken over from a killed process is reported', async (t) => {
  const folder = useFolder(t);
  const holder = await startHolder(t, folder);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const adopted = await startServer(t, folder);
  process.kill(await readServerPid(folder), 'SIGKILL');
  assert.match(await adopted.died, /ended by itself/);
  await startServer(t, folder);
});

test('a process that exits without calling stop() still stops its database server', async (t) => {
  const folder = useFolder(t);
  const holder = await startHolder(t, folder);
  const pid = await readServerPid(folder);
  holder.stdin?.end();
  await once(holder, 'exit');
  await waitUntil('the server to be stopped', async () => !(await isServerRunning(folder, pid)));
});

test('a pid file that names an unrelated running process does not prevent the start', async (t) => {
  const folder = useFolder(t);
  await (await startServer(t, folder)).stop();
  const text = [process.pid, join(folder, 'cluster', 'data'), 0, 1, '', '127.0.0.1', '', 'ready'].join('\n');
  await writeFile(join(folder, 'cluster', 'data', 'postmaster.pid'), text);
  assert.deepEqual(await query(await startServer(t, folder), 'select 1 as row'), [{ row: 1 }]);
});

test('a second process on the same data folder is refused with one sentence', async (t) => {
  const folder = useFolder(t);
  const holder = await startHolder(t, folder);
  const sentence = `another Parley (pid ${holder.pid}) is running on ${folder}; set DATA_DIR to another folder, or end that one`;
  await assert.rejects(startServer(t, folder), { message: sentence });
});

test('a second start on the same data folder in the same process is refused, and the first database server keeps running', async (t) => {
  const folder = useFolder(t);
  const server = await startServer(t, folder);
  await assert.rejects(startServer(t, folder), /^Error: another Parley/);
  assert.deepEqual(await query(server, 'select 1 as row'), [{ row: 1 }]);
});

test('when two processes start at the same moment on an empty data folder, exactly one of them succeeds', async (t) => {
  const folder = await makeFolder(t);
  const results = await Promise.allSettled([startHolder(t, folder), startHolder(t, folder)]);
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('when a first start was cut off while it created the database, the next start succeeds', async (t) => {
  const folder = await makeFolder(t);
  await mkdir(join(folder, 'cluster.new-Ab12Cd', 'data', 'base'), { recursive: true });
  await startServer(t, folder);
  assert.deepEqual((await readdir(folder)).toSorted(), ['cluster', 'lock', 'pid']);
});

test('stop() may be called twice, and a stopped database server is not reported as dead', async (t) => {
  const server = await startServer(t, useFolder(t));
  await Promise.all([server.stop(), server.stop()]);
  assert.equal(await Promise.race([server.died, sleep(20, 'quiet')]), 'quiet');
});

test('an open transaction does not delay the stop of the embedded server', async (t) => {
  const server = await startServer(t, useFolder(t));
  const client = new Client({ ...server, ssl: false });
  client.on('error', ignoreLog);
  await client.connect();
  await client.query('begin');
  // The transaction stays open, so a stop that waited for its end would never return.
  await server.stop();
  await client.end();
});

test('a data folder of another PostgreSQL version is refused with one sentence that names both versions and the alternative', async (t) => {
  const folder = await makeFolder(t);
  await mkdir(join(folder, 'cluster', 'data'), { recursive: true });
  await writeFile(join(folder, 'cluster', 'data', 'PG_VERSION'), '17\n');
  await assert.rejects(
    startServer(t, folder),
    /was made by PostgreSQL 17, and PostgreSQL 18 cannot .*; set DATABASE_URL/,
  );
});

test('a data folder that cannot be created is named in one sentence', async (t) => {
  const file = join(await makeFolder(t), 'file');
  await writeFile(file, '');
  await assert.rejects(startServer(t, join(file, 'postgres')), (error: Error) => {
    assert.ok(error.message.includes(file) && error.message.includes('DATABASE_URL') && !error.message.includes('\n'));
    return true;
  });
});

test('a data folder that others may read is refused with the command that mends it, and starts after that command', async (t) => {
  if (isWindows) return t.skip('permissions are another matter there');
  const folder = useFolder(t);
  await chmod(join(folder, 'cluster', 'data'), 0o755);
  const refusal = await startEmbeddedPostgres(folder, ignoreLog).then(
    () => assert.fail('the server has started'),
    (error: unknown) => (error as Error).message,
  );
  const command = /has invalid permissions; run (chmod -R go-rwx) on it$/.exec(refusal)?.[1];
  assert.ok(command, refusal);
  execSync(`${command} ${folder}`);
  await startServer(t, folder);
});

test('where user namespaces are forbidden, root runs the database server as the user nobody, and owns the data again once they are allowed', async (t) => {
  if (!isRoot || process.platform !== 'linux') return t.skip('only root on Linux changes its user');
  const folder = await makeFolder(t);
  const namespacesRefused: Launcher[] = [{ prefix: ['/bin/false'] }, { prefix: [], uid: 65534 }];
  const binaries = await findPostgresBinaries(folder, namespacesRefused).catch(() => undefined);
  if (binaries === undefined) return t.skip('nobody may not reach the folder of the packages');
  const server = await launchServer(await openCluster(folder, binaries), binaries, ignoreLog);
  const pid = await readServerPid(folder);
  assert.equal((await stat(`/proc/${pid}`)).uid, 65534);

  // The server was started without the lock of the folder, so startServer() takes the server over. This must not change the owner of its
  // files.
  const adopted = await startServer(t, folder);
  assert.equal(await readServerPid(folder), pid);
  await query(adopted, 'create table kept as select 1 as row');
  await adopted.stop();
  await server.ended;
  assert.deepEqual(await query(await startServer(t, folder), 'select * from kept'), [{ row: 1 }]);
});

/** Returns the shared data folder. Its server is killed at the end of the test. */
function useFolder(t: TestContext): string {
  t.after(() => killServer(initialised));
  return initialised;
}

/** Creates an empty folder for one test. */
async function makeFolder(t: TestContext): Promise<string> {
  const folder = await createFolder();
  t.after(() => removeFolder(folder));
  return folder;
}

/** Creates a folder whose parent every user may enter, because the server may run as the user `nobody`. */
async function createFolder(): Promise<string> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'parley-postgres-')));
  await chmod(parent, 0o711);
  const folder = join(parent, 'postgres');
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

async function removeFolder(folder: string): Promise<void> {
  await killServer(folder);
  await rm(dirname(folder), { recursive: true, force: true });
}

/** Stops the server of a folder, even one that a failed test or a killed process has left. */
async function killServer(folder: string): Promise<void> {
  const data = join(folder, 'cluster', 'data');
  const pid = (await readPostmaster(data))?.pid ?? 0;
  if (await isPostmasterOf(pid, data)) process.kill(pid, 'SIGINT');
  while (await isPostmasterOf(pid, data)) await sleep(5);
  if (pid > 0) await killOrphanedBackends(data);
}

async function startServer(t: TestContext, folder: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(folder, ignoreLog);
  // Stopping also releases the lock on the folder for the next test.
  t.after(() => server.stop());
  return server;
}

/** Starts a child process that runs the server until its input ends. Rejects when the server does not start. */
async function startHolder(t: TestContext, folder: string): Promise<ChildProcess> {
  const code = `
    import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('./embedded-postgres.ts'))};
    await startEmbeddedPostgres(${JSON.stringify(folder)}, () => {});
    console.log('ready');
    process.stdin.resume().on('end', () => process.exit());`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(holder, 'exit');
  t.after(() => {
    holder.kill('SIGKILL');
    return ended;
  });
  for await (const line of createInterface({ input: holder.stdout })) if (line === 'ready') return holder;
  throw new Error('the holder ended before it was ready');
}

async function query(connection: EmbeddedPostgres, text: string): Promise<unknown[]> {
  const client = new Client({ ...connection, ssl: false });
  // Tests kill the server; then the query itself rejects, and this event needs no handling.
  client.on('error', ignoreLog);
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function readServerPid(folder: string): Promise<number> {
  return (await readPostmaster(join(folder, 'cluster', 'data')))?.pid ?? 0;
}

/**
 * Returns whether the server runs. This checks more than the pid, because an ended process remains visible until its parent or PID 1 has
 * reaped it.
 */
function isServerRunning(folder: string, pid: number): Promise<boolean> {
  return isPostmasterOf(pid, join(folder, 'cluster', 'data'));
}
