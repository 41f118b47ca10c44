/** Brings a database up to date: the runtime roles, the numbered SQL files in their order, the queue's tables. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { newClient, ROLES, sessionOptions } from './db.ts';
import { QUEUE_SCHEMA } from './jobs.ts';

// How soon after another process has migrated the next one looks.
const TURN_MS = 50;
// A minute in all.
const LOCK_ROUNDS = 20;
const LOCK_PAUSE_MS = 1_000;
const CONCURRENT = '.concurrent.sql';
const FOLDER = join(import.meta.dirname, '../../migrations');
// One number for every process that might migrate this database at the same moment.
const LOCK = 724_113_001;
// A distant server answers in a tenth of this; one that is away should be named, not waited for.
const CONNECT_MS = 5_000;

function roleStatements(): string[] {
  return Object.values(ROLES).map((role) => `create role ${role} nologin nosuperuser nobypassrls`);
}

/** Throws one message that ends with the statements an operator has to run, when this user may not create roles. */
async function ensureRoles(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_roles where rolname = any($1)', [
    Object.values(ROLES),
  ]);
  const present = new Set(rows.map((row) => row.rolname));
  const missing = roleStatements().filter((statement) => !present.has(statement.split(' ')[2] ?? ''));
  const { rows: users } = await client.query<{ name: string }>('select current_user as name');
  const grants = `grant ${Object.values(ROLES).join(', ')} to ${client.escapeIdentifier(users[0]?.name ?? '')}`;
  try {
    for (const statement of missing) await client.query(statement).catch(ignoreDuplicate);
    const { rows: members } = await client.query<{ ok: boolean }>(
      `select bool_and(pg_has_role(current_user, role, 'MEMBER')) as ok from unnest($1::text[]) role`,
      [Object.values(ROLES)],
    );
    if (!members[0]?.ok) await client.query(grants);
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new Error(
      `the database user may not create the runtime roles; run this as an administrator, then start again:\n${[...missing, grants].map((line) => `${line};`).join('\n')}`,
      { cause: error },
    );
  }
}

/** Roles belong to the whole server: another database's migration may create them at the same moment. */
function ignoreDuplicate(error: Error & { code?: string }): void {
  if (error.code !== '42710' && error.code !== '23505') throw error;
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).toSorted();
}

/**
 * Runs what is missing, each file in a transaction of its own (but for those called .concurrent.sql), then `prepareQueue`, whose library makes its own schema.
 * Processes that start together wait for each other. Returns the names that ran.
 */
export async function migrate(
  connectionString: string,
  prepareQueue: (url: string) => Promise<void>,
): Promise<string[]> {
  const client = newClient({ connectionString, application_name: 'parley migrate' });
  await client.connect();
  try {
    await takeTurn(client);
    await ensureRoles(client);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, ran_at timestamptz not null default now())',
    );
    await client.query(`grant select on schema_migrations to ${ROLES.app}`);
    const { rows } = await client.query<{ name: string }>('select name from schema_migrations');
    const done = new Set(rows.map((row) => row.name));
    const ran: string[] = [];
    for (const name of await migrationFiles()) {
      if (done.has(name)) continue;
      await (name.endsWith(CONCURRENT) ? runConcurrently(client, name) : runFile(client, name));
      ran.push(name);
    }
    await prepareQueue(connectionString);
    await grantQueue(client);
    return ran;
  } finally {
    await client.end();
  }
}

/** Asks again and again: a statement that waits would hold a snapshot, for whose end a concurrent index would wait in turn. */
async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [LOCK]);
    if (rows[0]?.mine) return;
    await sleep(TURN_MS);
  }
}

/** Whoever reads a table for long makes a migration wait; it waits for 2 s at a time, so that nobody waits behind it. */
async function runFile(client: pg.Client, name: string): Promise<void> {
  for (let round = 1; ; round += 1) {
    try {
      return await runOnce(client, name);
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      if (cause?.code !== '55P03' || round === LOCK_ROUNDS) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

async function runOnce(client: pg.Client, name: string): Promise<void> {
  try {
    const sql = await readFile(join(FOLDER, name), 'utf8');
    await client.query('begin');
    // The number first: whoever races here without the lock collides on the key before anything is changed.
    await client.query('insert into schema_migrations (name) values ($1)', [name]);
    await client.query("set local lock_timeout = '2s'");
    await client.query(sql);
    await client.query('commit');
  } catch (error) {
    // Failure policy: a connection that is gone has taken its transaction along; the first error is what is told.
    await client.query('rollback').catch(() => undefined);
    throw new Error(`migration ${name}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Indexes of tables that are in use, and checks of their rows: statement by statement, outside a transaction, so that nobody
 * waits. Each may be run again: what a broken run left half-built is dropped first.
 */
async function runConcurrently(client: pg.Client, name: string): Promise<void> {
  try {
    const sql = await readFile(join(FOLDER, name), 'utf8');
    const { rows: broken } = await client.query<{ name: string }>(
      `select format('%I', c.relname) as name from pg_index i join pg_class c on c.oid = i.indexrelid
        where not i.indisvalid and c.relnamespace = 'public'::regnamespace`,
    );
    for (const index of broken) await client.query(`drop index concurrently if exists ${index.name}`);
    for (const statement of sql.split(/;\s*\n/).filter((text) => /\w/.test(text))) await client.query(statement);
    await client.query('insert into schema_migrations (name) values ($1)', [name]);
  } catch (error) {
    throw new Error(`migration ${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** A company's transaction may leave a job, which is all that it does here; the system works on them. No row security. */
async function grantQueue(client: pg.Client): Promise<void> {
  const { app, system } = ROLES;
  await client.query(`grant usage on schema ${QUEUE_SCHEMA} to ${app}, ${system};
    grant select, insert on all tables in schema ${QUEUE_SCHEMA} to ${app};
    grant select, insert, update, delete on all tables in schema ${QUEUE_SCHEMA} to ${system};
    grant usage on all sequences in schema ${QUEUE_SCHEMA} to ${app}, ${system};
    grant execute on all functions in schema ${QUEUE_SCHEMA} to ${system}`);
}

/** A user for the embedded server that is no superuser: it can be nobody but the runtime roles. */
export async function createLogin(connectionString: string, password: string): Promise<void> {
  const client = newClient({ connectionString });
  await client.connect();
  try {
    await client.query('create role parley login noinherit').catch(ignoreDuplicate);
    await client.query(`alter role parley password ${client.escapeLiteral(password)}`);
    await client.query(`grant ${Object.values(ROLES).join(', ')} to parley`);
  } finally {
    await client.end();
  }
}

/**
 * What the database still lacks (migrations, queues); empty when it may be served. Throws one sentence when the role of this
 * process is one that row-level security does not bind.
 */
export async function findMissing(connectionString: string, queues: string[]): Promise<string[]> {
  if (!(await hasRoles(connectionString))) return migrationFiles();
  const options = sessionOptions(ROLES.app);
  const client = newClient({ connectionString, options, connectionTimeoutMillis: CONNECT_MS });
  try {
    await client.connect();
    await refuseUnbound(client);
    const { rows: tables } = await client.query<{ ready: boolean }>(
      `select to_regclass('schema_migrations') is not null and to_regclass('${QUEUE_SCHEMA}.queue') is not null as ready`,
    );
    if (!tables[0]?.ready) return await migrationFiles();
    const { rows: ran } = await client.query<{ name: string }>('select name from schema_migrations');
    const { rows: made } = await client.query<{ name: string }>(`select name from ${QUEUE_SCHEMA}.queue`);
    const present = new Set([...ran, ...made].map((row) => row.name));
    return [...(await migrationFiles()), ...queues].filter((name) => !present.has(name));
  } catch (error) {
    // Failure policy: roles that are not there yet mean that nothing is; every other failure is the caller's.
    if (NO_ROLE.test((error as Error).message)) return await migrationFiles();
    throw unanswered(error as Error);
  } finally {
    await client.end();
  }
}

/** Asked without a role: a session that begins under one that is not there is refused, and logged as if it were a fault. */
async function hasRoles(connectionString: string): Promise<boolean> {
  const client = newClient({ connectionString, connectionTimeoutMillis: CONNECT_MS });
  try {
    await client.connect();
    const roles = Object.values(ROLES);
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from pg_roles where rolname = any($1)',
      [roles],
    );
    return rows[0]?.count === roles.length;
  } catch (error) {
    throw unanswered(error as Error);
  } finally {
    await client.end();
  }
}

/** A server that takes the connection and then says nothing would be waited for without end. */
function unanswered(error: Error): Error {
  return error.message === 'timeout expired' ? Object.assign(error, { code: 'ETIMEDOUT' }) : error;
}

const NO_ROLE = /role "parley_\w+" does not exist|permission denied to set role|permission denied for (schema|table)/;

/** A pooler between us and the server may drop what travels with the connection: then no wall stands, and times are wrong. */
async function refuseUnbound(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: string; free: boolean; zone: string }>(
    `select rolname as role, rolsuper or rolbypassrls as free, current_setting('timezone') as zone
      from pg_roles where rolname = current_user`,
  );
  const [row] = rows;
  if (row?.role !== ROLES.app || row.zone !== 'UTC') {
    throw new Error(
      'the database connection lost its options: a pooler must pass them on (session pooling), or be left out',
    );
  }
  if (row.free) throw new Error(`${ROLES.app} must be neither superuser nor BYPASSRLS`);
}
