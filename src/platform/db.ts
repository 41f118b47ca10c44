/** The only way to PostgreSQL: pools by role, named prepared statements, and verbs that say how many rows they expect. */
import pg from 'pg';
import { AppError, quotaExceeded, storageFull, unknownReference } from './errors.ts';

/** One SQL statement. `name` is unique in the process: pg prepares it once per connection. */
export interface Statement {
  name: string;
  text: string;
  values: unknown[];
  /** Not prepared: for texts without end (what callers put together), and where the plan hangs on the values. */
  planEachTime?: true;
}

export interface Executor {
  query<R>(statement: Statement): Promise<R[]>;
  /** Rows that the statement touched. */
  execute(statement: Statement): Promise<number>;
}

/** Exactly one row; anything else is a defect of this project and leaves as 500. */
export async function one<R>(executor: Executor, statement: Statement): Promise<R> {
  const rows = await executor.query<R>(statement);
  const [row] = rows;
  if (rows.length !== 1 || row === undefined) throw new Error(`${statement.name}: ${rows.length} rows, expected one`);
  return row;
}

export async function maybeOne<R>(executor: Executor, statement: Statement): Promise<R | null> {
  const rows = await executor.query<R>(statement);
  if (rows.length > 1) throw new Error(`${statement.name}: ${rows.length} rows, expected at most one`);
  return rows[0] ?? null;
}

export function many<R>(executor: Executor, statement: Statement): Promise<R[]> {
  return executor.query<R>(statement);
}

export function exec(executor: Executor, statement: Statement): Promise<number> {
  return executor.execute(statement);
}

/**
 * The condition that a row belongs to the company of `$1`, or, for null, to none: an index finds `is null`, but not
 * `is not distinct from`.
 */
export const ofCompany = (company: string | null): string =>
  company === null ? 'company_id is null and $1::text is null' : 'company_id = $1';

const TIMESTAMPTZ = 1184;

/** `2026-11-20 05:17:28.1+00` → `2026-11-20T05:17:28.100Z`: cheaper than a Date per cell; every session runs in UTC. */
function isoTimestamp(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, text.indexOf('+', 20)) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ && format !== 'binary'
      ? isoTimestamp
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

export const ROLES = { app: 'parley_app', read: 'parley_read', system: 'parley_system' } as const;

const SESSION = {
  // A statement that runs longer is a missing index; a lock waited for longer is a queue that only grows.
  statement_timeout: 5_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 10_000,
  timezone: 'UTC',
  // Every statement here is a walk along an index. A prepared one is planned once, perhaps while its tables are still empty,
  // and would then keep its hash joins and full scans when they are full: a lone callback took 400 ms instead of 2.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // Compiling a plan takes longer than these statements run.
  jit: 'off',
};

// Waiting longer for a connection only moves the queue into this process: better a 503 that can be retried.
export const ACQUIRE_TIMEOUT_MS = 1_000;

// Searches alone need bitmaps, and the reading role runs them. Everywhere else a bitmap is what a walk ends in when the planner
// knows nothing of a table: it collects all rows of a company and sorts them, for each portion again.
const NO_BITMAPS = { enable_bitmapscan: 'off' };

// Statements across companies take arrays, and the planner counts on ten elements: for fewer it would make a plan of its own each
// time, the same as always, which took a quarter of what storing a message costs the database.
const ONE_PLAN = { plan_cache_mode: 'force_generic_plan' };

/** Bytes that a company may store which has no limit of its own; null for as many as there is room for. */
export type Quota = number | null;

/** Start-up options of a session: its role and limits travel with the connection and cost no round trip. */
export function sessionOptions(role: string, quota: Quota = null): string {
  const bound = quota === null ? {} : { 'app.company_quota': quota };
  const settings = {
    ...SESSION,
    ...(role === ROLES.read ? {} : NO_BITMAPS),
    ...(role === ROLES.system ? ONE_PLAN : {}),
    ...bound,
  };
  return [`-c role=${role}`, ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)].join(' ');
}

export function openPool(connectionString: string, role: string, max: number, quota: Quota = null): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    types,
    application_name: 'parley',
    options: sessionOptions(role, quota),
    connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
    // Timers of an idle process meet every few seconds: connections that were closed in between would be opened again and again.
    idleTimeoutMillis: 60_000,
    // What is asked at the same moment is sent at once, and answered in that order.
    pipeline: true,
    // A server that vanished without a word must not hold a caller longer than its statement may take.
    query_timeout: SESSION.statement_timeout + 1_000,
    keepAlive: true,
  });
  // Failure policy: an idle connection that breaks is dropped by the pool; the next query opens another.
  pool.on('error', () => undefined);
  pool.on('connect', outliveErrors);
  return pool;
}

/** A connection outside the pools. Its errors reach whoever waits for a statement. */
export function newClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client(config);
  outliveErrors(client);
  return client;
}

/**
 * Failure policy: a connection that breaks while no statement runs emits 'error', which ends a process that has no listener for
 * it. The next statement on the connection fails, and its caller learns what happened.
 */
function outliveErrors(client: pg.ClientBase): void {
  client.on('error', () => undefined);
}

export function createExecutor(client: pg.Pool | pg.PoolClient): Executor {
  return executorBy((statement) => send(client, statement));
}

/** Asks on this connection. */
export function send(client: pg.Pool | pg.PoolClient, statement: Statement): Promise<pg.QueryResult> {
  return client.query(statement.planEachTime ? { text: statement.text, values: statement.values } : statement);
}

export function executorBy(run: (statement: Statement) => Promise<pg.QueryResult>): Executor {
  return {
    query: async <R>(statement: Statement) => (await run(statement)).rows as R[],
    execute: async (statement) => (await run(statement)).rowCount ?? 0,
  };
}

interface DatabaseError {
  code?: string;
  constraint?: string;
  table?: string;
  message?: string;
}

const codeOf = (error: unknown): string => (error as DatabaseError | null)?.code ?? '';

const UNIQUE_VIOLATION = '23505';

/** True when the unique constraint of this name refused the row. */
export function violates(error: unknown, constraint: string): boolean {
  return codeOf(error) === UNIQUE_VIOLATION && (error as DatabaseError).constraint === constraint;
}

// datetime_field_overflow, invalid_datetime_format, invalid_time_zone_displacement_value, numeric_value_out_of_range.
const OUT_OF_RANGE = ['22008', '22007', '22009', '22003'];

// Classes and codes that say "not now" rather than "not like this": connection, resources, operator, locks and time-outs.
const UNAVAILABLE = /^(08|53|57P|57014|55P03|40001|40P01)/;
const UNREACHABLE = /^(ECONN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)/;
const DRIVER_WORDS =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|not queryable|connection error/i;

/** Two transactions met on the same rows, and this one gave way: the same statements will do when tried again. */
export const isCollision = (error: unknown): boolean => ['40P01', '40001'].includes(codeOf(error));

/** Rows that somebody holds, or a statement that took too long: what these statements touch, not the database, is busy. */
export const isContention = (error: unknown): boolean =>
  isCollision(error) || ['55P03', '57014'].includes(codeOf(error));

// disk_full of PostgreSQL, the file system's own word for it, and the refusal of a write before it comes to that.
const STORAGE_FULL = ['53100', 'ENOSPC', 'STORAGE_FULL'];

export const isStorageFull = (error: unknown): boolean => STORAGE_FULL.includes(codeOf(error));

export function isUnavailable(error: unknown): boolean {
  if (isStorageFull(error)) return true;
  const { code, message } = (error ?? {}) as DatabaseError;
  if (code) return UNAVAILABLE.test(code) || UNREACHABLE.test(code);
  return DRIVER_WORDS.test(message ?? '');
}

// Raised by enforce_quota() of the migrations, with a message for the caller.
const QUOTA = 'QUOTA';

/** What a database error means to a caller; null when it is a defect of this project. */
export function databaseProblem(error: unknown): AppError | null {
  const { code, constraint, table, message } = (error ?? {}) as DatabaseError;
  // By convention `<table>_<field>_ref` is the foreign key behind the body's field of that name.
  const field =
    constraint?.startsWith(`${table}_`) && constraint.endsWith('_ref')
      ? constraint.slice(`${table}_`.length, -4)
      : null;
  if (code === '23503' && field) return unknownReference(field);
  // What passed the schema and is still no moment or number of this database.
  if (code && OUT_OF_RANGE.includes(code)) return new AppError('VALIDATION_FAILED', 'A value is out of range');
  if (code === QUOTA) return quotaExceeded(message);
  if (isStorageFull(error)) return storageFull();
  return isUnavailable(error)
    ? new AppError('UNAVAILABLE', 'The database is busy or away', [], { 'retry-after': '1' })
    : null;
}
