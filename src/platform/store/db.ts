/**
 * The only access to PostgreSQL: connection pools for each role, named prepared statements, and functions that check the number of rows.
 */
import pg from 'pg';
import { splitHosts } from '../values/host-list.ts';
import { connectToHosts, findHosts } from './hosts.ts';
import { setUpSession } from './pooler.ts';
import { ROLES } from './roles.ts';
import { closeUnanswered } from './unanswered.ts';
import { AppError, quotaExceeded, storageFull, unknownReference } from '../values/errors.ts';
import { declareLimit } from '../values/limits.ts';

/** One SQL statement. `name` is unique in the process, because pg prepares each name once per connection. */
export interface Statement {
  name: string;
  text: string;
  values: unknown[];
  /**
   * Present when the statement is not prepared: for texts that vary without limit, such as the filters of callers, and for plans that
   * depend on the values.
   */
  planEachTime?: true;
}

export interface Executor {
  query<R>(statement: Statement): Promise<R[]>;
  /** Returns how many rows the statement changed. */
  execute(statement: Statement): Promise<number>;
}

/** Returns exactly one row. Any other number of rows is a defect of this project and is answered with 500. */
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

/** Returns the value of a statement that selects one row with one column, such as a count. */
export async function oneValue<V>(executor: Executor, statement: Statement): Promise<V> {
  return Object.values(await one<Record<string, V>>(executor, statement))[0] as V;
}

export const many = <R>(executor: Executor, statement: Statement): Promise<R[]> => executor.query<R>(statement);

export const exec = (executor: Executor, statement: Statement): Promise<number> => executor.execute(statement);

/**
 * Returns the SQL condition that a row belongs to the company in `$1`, or to no company when `company`
 * is null. `is not distinct from` would cover both cases, but PostgreSQL does not use an index for it.
 */
export const companyCondition = (company: string | null): string =>
  company === null ? 'company_id is null and $1::text is null' : 'company_id = $1';

const TIMESTAMPTZ = 1184;

/** Converts `2026-11-20 05:17:28.1+00` to `2026-11-20T05:17:28.100Z`, which is cheaper than a Date. Every session uses UTC. */
function toIsoTimestamp(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, text.indexOf('+', 20)) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ && format !== 'binary'
      ? toIsoTimestamp
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** Makes a connection plan each prepared statement once. */
export const ONE_PLAN = 'force_generic_plan';

const SESSION = {
  // A slower statement lacks an index.
  statement_timeout: declareLimit(5_000, {
    topic: 'Operation',
    what: 'Statement of the database',
    unit: 'ms',
    beyond: '503',
  }),
  idle_in_transaction_session_timeout: 10_000,
  timezone: 'UTC',
  // Every statement of the platform follows an index. A prepared statement that was planned while its tables were empty would keep full
  // scans and hash joins after they have grown: a single callback took 400 ms instead of 2.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // Tell triggers in sql/ that this process moves enrollments and queues deliveries itself; processes of the earlier release do not.
  'app.moves_enrollments': 'on',
  'app.queues_deliveries': 'on',
  // Compiling a plan (JIT) takes longer than running these short statements.
  jit: 'off',
  // PostgreSQL would plan a prepared statement again each time if that seems cheaper than the plan for all values: for arrays of fewer than ten
  // elements, and for a table with partitions, of which only one is opened. Planning takes several times as long as running it.
  plan_cache_mode: ONE_PLAN,
};

/** The longest wait for a connection in programs whose callers can wait. The API waits as long as DATABASE_WAIT says. */
export const PATIENT_WAIT_MS = 30_000;
// The longest wait of a statement for a lock where nothing else is said: waiting longer would only let a queue of requests grow.
const LOCK_WAIT_MS = 2_000;
// A lock is not waited for until the statement's time is over, so that the error says what it has waited for.
const LOCK_SHARE = 0.9;

// A server that has not answered this long after it should have stopped the statement has vanished, or waits for its standby.
const GRACE_MS = 1_000;

// Only searches need bitmap scans, and the reading role runs them. For other roles the planner would choose a bitmap scan when it has no
// statistics of a table, and would collect and sort all rows of a company for each portion.
const NO_BITMAPS = { enable_bitmapscan: 'off' };

/** The bytes that a company without its own limit may store; null for no limit. */
export type Quota = number | null;

export interface PoolLimits {
  quota?: Quota;
  /** How many milliseconds a statement may take. */
  statementMs?: number | undefined;
  /** How many milliseconds a caller waits for a connection, and a statement for a lock. */
  waitMs?: number | undefined;
}

/** Sets the role and the limits of a session. A pooler such as PgBouncer refuses connections with start-up options. */
export function sessionStatement(
  role: string,
  { quota = null, statementMs = SESSION.statement_timeout, waitMs = LOCK_WAIT_MS }: PoolLimits = {},
): string {
  const settings = {
    ...SESSION,
    statement_timeout: statementMs,
    lock_timeout: Math.round(Math.min(waitMs, LOCK_SHARE * statementMs)),
    ...(role === ROLES.read ? {} : NO_BITMAPS),
    ...(quota === null ? {} : { 'app.company_quota': quota }),
  };
  return [`set role ${role}`, ...Object.entries(settings).map(([name, value]) => `set ${name} = '${value}'`)].join(';');
}

export function openPool(connectionString: string, role: string, max: number, limits: PoolLimits = {}): pg.Pool {
  const { statementMs = SESSION.statement_timeout, waitMs = PATIENT_WAIT_MS } = limits;
  const hosts = findHosts(connectionString);
  const [first, ...others] = splitHosts(connectionString);
  const session = sessionStatement(role, limits);
  const pool = new pg.Pool({
    connectionString: first,
    ...(others.length > 0 && { Client: connectToHosts(hosts, waitMs) }),
    max,
    types,
    application_name: 'parley',
    onConnect: (client) => setUpSession(client, session),
    connectionTimeoutMillis: waitMs,
    // An idle process runs a few statements every few seconds; with a shorter time its connections would be closed and opened all the time.
    idleTimeoutMillis: 60_000,
    // After a failover behind a single address, connections that only read could stay with the former primary.
    maxLifetimeSeconds: 600,
    // Statements are sent without waiting for the answers of earlier ones.
    pipeline: true,
    // A caller does not wait longer than this for a server that has vanished without closing the connection.
    query_timeout: statementMs + GRACE_MS,
    keepAlive: true,
  });
  // Failure policy: an idle connection that breaks is dropped by the pool; the next query opens another.
  pool.on('error', () => undefined);
  pool.on('connect', ignoreConnectionErrors);
  pool.on('release', (error) => error && hosts.suspect());
  return pool;
}

/** Closes the connections, also those whose COMMIT the server has not answered. */
export async function closePool(pool: pg.Pool): Promise<void> {
  closeUnanswered(pool);
  await pool.end();
}

/** Creates a connection outside the pools. Its errors are thrown by the statement that is running. */
export function newClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client(config);
  ignoreConnectionErrors(client);
  return client;
}

/**
 * Failure policy: a connection that breaks while no statement runs emits `error`, which ends a process that
 * has no listener for this event. The next statement on the connection fails, and its caller gets the error.
 */
function ignoreConnectionErrors(client: pg.ClientBase): void {
  client.on('error', () => undefined);
}

interface DatabaseError {
  code?: string;
  constraint?: string;
  table?: string;
  message?: string;
}

const readErrorCode = (error: unknown): string => (error as DatabaseError | null)?.code ?? '';

const UNIQUE_VIOLATION = '23505';

/** True when the unique constraint of this name refused the row. */
export function violates(error: unknown, constraint: string): boolean {
  return readErrorCode(error) === UNIQUE_VIOLATION && (error as DatabaseError).constraint === constraint;
}

const FOREIGN_KEY_VIOLATION = '23503';

/** True when a foreign key has refused a statement: of a DELETE, because another row names the one that it would delete. */
export const isReferenced = (error: unknown): boolean => readErrorCode(error) === FOREIGN_KEY_VIOLATION;

// datetime_field_overflow, invalid_datetime_format, invalid_time_zone_displacement_value, numeric_value_out_of_range.
const OUT_OF_RANGE = ['22008', '22007', '22009', '22003'];

// The codes of PostgreSQL (SQLSTATE) have five characters, and a digit among them.
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
// The classes of errors that the statement or its values cause, so that it fails each time: cardinality, data, constraints, syntax, check
// options, limits of the server and errors of functions.
const OF_THE_STATEMENT = /^(21|22|23|42|44|54|P0)/;
const UNREACHABLE = /^(ECONN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)/;
const DRIVER_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|not queryable|connection error/i;

/** Returns true when two transactions collided on the same rows and PostgreSQL aborted this one. Its statements can be retried. */
export const isCollision = (error: unknown): boolean => ['40P01', '40001'].includes(readErrorCode(error));

/** Returns true when a statement has waited too long for rows that another transaction has locked. */
export const isLockTimeout = (error: unknown): boolean => readErrorCode(error) === '55P03';

/** Returns true when a statement met locked rows or took too long: the rows are busy, not the database as a whole. */
export const isContention = (error: unknown): boolean =>
  isCollision(error) || isLockTimeout(error) || readErrorCode(error) === '57014';

/** Returns true when the server takes no changes, such as a former primary that follows another one now. */
export const isReadOnlyServer = (error: unknown): boolean => readErrorCode(error) === '25006';

// The codes for a full disk: PostgreSQL's disk_full, the file system's ENOSPC, and the platform's own refusal before the disk is full.
const STORAGE_FULL = ['53100', 'ENOSPC', 'STORAGE_FULL'];

export const isStorageFull = (error: unknown): boolean => STORAGE_FULL.includes(readErrorCode(error));

/** Returns true for work that the platform has refused for the moment, such as work that found no free connection. */
const isRefused = (error: unknown): boolean => readErrorCode(error) === 'UNAVAILABLE';

/**
 * Returns true for every error of the server, the connection or the platform that the statement has not caused: the same statement may succeed
 * later. Only other errors may discard what was to be stored.
 */
export function isUnavailable(error: unknown): boolean {
  if (isStorageFull(error) || isRefused(error)) return true;
  const { code, message } = (error ?? {}) as DatabaseError;
  if (code) return (SQLSTATE.test(code) && !OF_THE_STATEMENT.test(code)) || UNREACHABLE.test(code);
  return DRIVER_MESSAGES.test(message ?? '');
}

/** Returns true when the database as a whole is the cause: it cannot be reached, accepts no changes, or gave no answer. */
export const isAway = (error: unknown): boolean => isUnavailable(error) && !isContention(error) && !isRefused(error);

// What the name of a partition adds to that of its table.
const PARTITION = /_(?:\d{8}|rest|earlier)$/;

// The error code of enforce_quota() in the migrations. Its message is meant for the caller.
const QUOTA = 'QUOTA';

/** Converts a database error to the error for the caller; null when it is a defect of this project. */
export function toDatabaseProblem(error: unknown): AppError | null {
  const { code, constraint, table, message } = (error ?? {}) as DatabaseError;
  // By convention `<table>_<field>_ref` is the foreign key behind the body's field of that name.
  const prefix = `${table?.replace(PARTITION, '')}_`;
  const field =
    constraint?.startsWith(prefix) && constraint.endsWith('_ref') ? constraint.slice(prefix.length, -4) : null;
  if (code === FOREIGN_KEY_VIOLATION && field) return unknownReference(field);
  // A time or number that the schema accepts may still be outside the range of PostgreSQL.
  if (code && OUT_OF_RANGE.includes(code)) return new AppError('VALIDATION_FAILED', 'A value is out of range');
  if (code === QUOTA) return quotaExceeded(message);
  if (isStorageFull(error)) return storageFull();
  return isUnavailable(error)
    ? new AppError('UNAVAILABLE', 'The database is busy or unavailable', [], { 'retry-after': '1' })
    : null;
}
