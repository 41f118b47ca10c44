/**
 * Migrates a database: creates the runtime roles, runs the numbered SQL files in order, replaces the functions and triggers that have
 * changed, and creates the tables of the job queue.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { newClient, sessionStatement } from './db.ts';
import { ROLES } from './roles.ts';
import { refuseTransactionPooling } from './pooler.ts';
import { takeAdvisoryLock } from './exclusive.ts';
import { findOutdatedObjects, replaceObjects } from './schema-objects.ts';
import { changeSchema } from './schema-change.ts';
import { QUEUE_SCHEMA } from '../work/jobs.ts';

const CONCURRENT = '.concurrent.sql';
const FOLDER = join(import.meta.dirname, '../../../migrations');
// The advisory lock that all processes share, so that only one of them migrates the database at a time.
const LOCK = 724_113_001;
// The time limit of a connection. A distant server answers in a tenth of this time, and an unreachable one should soon be reported.
const QUICK = { connectionTimeoutMillis: 5_000 };

function roleStatements(): string[] {
  return Object.values(ROLES).map((role) => `create role ${role} nologin nosuperuser nobypassrls`);
}

/** Creates missing roles. When this user may not, throws a message that ends with the statements that an administrator has to run. */
async function ensureRoles(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_roles where rolname = any($1)', [
    Object.values(ROLES),
  ]);
  const present = new Set(rows.map((row) => row.rolname));
  const missing = roleStatements().filter((statement) => !present.has(statement.split(' ')[2] ?? ''));
  // Besides this user, those who run the platform get the roles that a later version has added.
  const { rows: users } = await client.query<{ name: string }>(
    `select rolname as name from pg_roles where rolname = current_user or rolname <> all ($2) and oid in (
      select a.member from pg_auth_members a join pg_roles r on r.oid = a.roleid where r.rolname = $1)`,
    [ROLES.app, Object.values(ROLES)],
  );
  const grants = [
    { to: ROLES.member, roles: [ROLES.app] },
    { to: ROLES.memberRead, roles: [ROLES.read] },
    ...users.map(({ name }) => ({ to: name, roles: Object.values(ROLES) })),
  ].map((grant) => ({
    ...grant,
    statement: `grant ${grant.roles.join(', ')} to ${client.escapeIdentifier(grant.to)}`,
  }));
  try {
    for (const statement of missing) await client.query(statement).catch(ignoreDuplicate);
    for (const { to, roles, statement } of grants) {
      const { rows: members } = await client.query<{ ok: boolean }>(
        `select bool_and(pg_has_role($1, role, 'MEMBER')) as ok from unnest($2::text[]) role`,
        [to, roles],
      );
      if (!members[0]?.ok) await client.query(statement);
    }
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    const statements = [...missing, ...grants.map(({ statement }) => statement)];
    throw new Error(
      `the database user may not create the runtime roles; run this as an administrator, then start again:\n${statements.map((line) => `${line};`).join('\n')}`,
      { cause: error },
    );
  }
}

/**
 * Ignores the error that a role exists already: roles belong to the whole server, and the migration of another database may create them at
 * the same moment.
 */
function ignoreDuplicate(error: Error & { code?: string }): void {
  if (error.code !== '42710' && error.code !== '23505') throw error;
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).toSorted();
}

/** A hash of what a migration does: comments and white space may change later. */
async function readDigest(name: string): Promise<string> {
  const sql = await readFile(join(FOLDER, name), 'utf8');
  const statements = sql.replaceAll(/^\s*--.*$/gm, '').replaceAll(/\s+/g, ' ');
  return createHash('sha256').update(statements).digest('hex');
}

/**
 * Runs the missing migrations, each in its own transaction (except .concurrent.sql files), replaces the functions and triggers that differ
 * from sql/, and then runs `prepareQueue`, which creates the schema of the job queue. Processes that start together wait for each other.
 * Returns the names of the migrations that ran.
 */
export async function migrate(
  connectionString: string,
  prepareQueue: (url: string) => Promise<void>,
): Promise<string[]> {
  const client = newClient({ connectionString, application_name: 'parley migrate' });
  await client.connect();
  try {
    await takeAdvisoryLock(client, LOCK);
    await ensureRoles(client);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, ran_at timestamptz not null default now())',
    );
    await client.query('alter table schema_migrations add column if not exists digest text');
    await client.query(`grant select on schema_migrations to ${ROLES.app}`);
    const { rows } = await client.query<Done>('select name, digest from schema_migrations');
    const done = new Map(rows.map((row) => [row.name, row.digest]));
    const ran: string[] = [];
    const digests = new Map<string, string>();
    for (const name of await migrationFiles()) digests.set(name, await readDigest(name));
    refuseOtherVersion(done, digests);
    for (const name of digests.keys()) {
      if (done.has(name)) continue;
      await (name.endsWith(CONCURRENT) ? runConcurrently(client, name) : runInTransaction(client, name));
      ran.push(name);
    }
    await client.query(
      `update schema_migrations m set digest = f.digest from unnest($1::text[], $2::text[]) f(name, digest)
        where f.name = m.name and m.digest is null`,
      [[...digests.keys()], [...digests.values()]],
    );
    await replaceObjects(client);
    await prepareQueue(connectionString);
    await grantQueue(client);
    return ran;
  } finally {
    await client.end();
  }
}

interface Done {
  name: string;
  /** Null after a version that noted none, and after a start that was interrupted. */
  digest: string | null;
}

/** Throws one sentence when the database has run a migration that this version does not have, or has with other statements. */
function refuseOtherVersion(done: ReadonlyMap<string, Done['digest']>, digests: ReadonlyMap<string, string>): void {
  const isOther = ([name, digest]: [string, string | null]): boolean =>
    !digests.has(name) || (digest !== null && digest !== digests.get(name));
  const [unknown] = [...done].find(isOther) ?? [];
  if (unknown === undefined) return;
  throw new Error(
    `the database was made by another version of Parley (${unknown}), which this one cannot continue; use that version, or an empty database`,
  );
}

async function runInTransaction(client: pg.Client, name: string): Promise<void> {
  await changeSchema(client, `migration ${name}`, async () => {
    // The name is inserted first: a process that runs the same file without the lock fails on the primary key before it changes anything.
    await client.query('insert into schema_migrations (name) values ($1)', [name]);
    await client.query(await readFile(join(FOLDER, name), 'utf8'));
  });
}

/**
 * Runs a .concurrent.sql file, which creates indexes or validates constraints on tables that are in use: statement by statement, outside
 * of a transaction, so that no other statement waits. A file may run again, because unfinished indexes of a broken run are dropped first.
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

/**
 * Grants rights on the job queue: companies' transactions may only insert jobs, and the system role processes them. These tables have no
 * row-level security.
 */
async function grantQueue(client: pg.Client): Promise<void> {
  const { app, system } = ROLES;
  await client.query(`grant usage on schema ${QUEUE_SCHEMA} to ${app}, ${system};
    grant select, insert on all tables in schema ${QUEUE_SCHEMA} to ${app};
    grant select, insert, update, delete on all tables in schema ${QUEUE_SCHEMA} to ${system};
    grant usage on all sequences in schema ${QUEUE_SCHEMA} to ${app}, ${system};
    grant execute on all functions in schema ${QUEUE_SCHEMA} to ${system}`);
}

/** Creates the platform's user on the embedded server. The user is no superuser and can only switch to the runtime roles. */
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
 * Lists missing migrations and queues, or else the functions and triggers that migrate() would replace; empty when the database is up to
 * date. A process that may not migrate accepts those of a later version. Throws one sentence when row-level security would not apply to the
 * role of this process.
 */
export async function findMissing(connectionString: string, queues: string[], mayMigrate = false): Promise<string[]> {
  if (!(await allRolesExist(connectionString))) return migrationFiles();
  const client = newClient({ connectionString, ...QUICK });
  try {
    await client.connect();
    await client.query(sessionStatement(ROLES.app));
    await refuseUnboundRole(client);
    const { rows: tables } = await client.query<{ ready: boolean }>(
      `select to_regclass('schema_migrations') is not null and to_regclass('${QUEUE_SCHEMA}.queue') is not null as ready`,
    );
    if (!tables[0]?.ready) return await migrationFiles();
    const { rows: ran } = await client.query<{ name: string }>('select name from schema_migrations');
    const { rows: made } = await client.query<{ name: string }>(`select name from ${QUEUE_SCHEMA}.queue`);
    const present = new Set([...ran, ...made].map((row) => row.name));
    const files = await migrationFiles();
    const missing = [...files, ...queues].filter((name) => !present.has(name));
    // A process of an earlier version leaves the functions of a later one as they are.
    const isLater = ran.some(({ name }) => !files.includes(name));
    return missing.length > 0 || isLater ? missing : await findOutdatedObjects(client, mayMigrate);
  } catch (error) {
    // Failure policy: a missing role means that nothing has been migrated yet; any other error is thrown.
    if (NO_ROLE.test((error as Error).message)) return await migrationFiles();
    throw markTimeout(error as Error);
  } finally {
    await client.end();
  }
}

/**
 * Checks whether the roles exist, on a connection without a role: a connection under a missing role would be refused and logged as an error
 * by PostgreSQL.
 */
async function allRolesExist(connectionString: string): Promise<boolean> {
  const client = newClient({ connectionString, ...QUICK });
  try {
    await client.connect();
    await refuseTransactionPooling(client, newClient({ connectionString, ...QUICK }));
    const roles = Object.values(ROLES);
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from pg_roles where rolname = any($1)',
      [roles],
    );
    return rows[0]?.count === roles.length;
  } catch (error) {
    throw markTimeout(error as Error);
  } finally {
    await client.end();
  }
}

/** Gives the time-out error of the driver the code ETIMEDOUT, so that explainStartError() recognises it. */
function markTimeout(error: Error): Error {
  return error.message === 'timeout expired' ? Object.assign(error, { code: 'ETIMEDOUT' }) : error;
}

const NO_ROLE = /role "parley_\w+" does not exist|permission denied to set role|permission denied for (schema|table)/;

/**
 * Checks that role and time zone have been set. A connection pooler may drop these options; then row-level security would not apply and
 * times would be wrong.
 */
async function refuseUnboundRole(client: pg.Client): Promise<void> {
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
