/**
 * Access to the data. Queries accept only executors from this file, so that each statement names whom it runs for: a TenantTx or
 * TenantRead belongs to one company; a SystemTx is for the few features that work across companies and names on whose behalf they do.
 * Each company has a share of every connection pool, and so has each kind of the platform's own work.
 */
import type pg from 'pg';
import { toNamedActor, type Actor } from '../values/actor.ts';
import type { AiUse } from '../values/ai-use.ts';
import type { Principal } from '../http/auth.ts';
import {
  closePool,
  createExecutor,
  openPool,
  PATIENT_WAIT_MS,
  ROLES,
  type Executor,
  type Quota,
  type Statement,
} from './db.ts';
import { runExclusively } from './exclusive.ts';
import {
  companyOf,
  createCompanyShares,
  runWithinShare,
  createSystemShares,
  SYSTEM_CONNECTIONS,
  type ShareOwner,
} from './connection-shares.ts';
import type { Shares } from '../work/shares.ts';
import { spaceSearches, spaceWalks, withSpacedSearches } from './spaced-searches.ts';
import { UNGUARDED, type Storage } from './storage.ts';
import { inTransaction, type TransactionExecutor, type TransactionOptions } from './transaction.ts';
import { createWriteWatch, type WriteWatch } from './write-watch.ts';
import { createWakeUps, type WakeUps } from './wake-ups.ts';

declare const brand: unique symbol;

/** Runs single statements for one company. Their conditions must contain the company's id. */
export interface TenantRead extends Executor {
  readonly companyId: string;
  readonly [brand]: 'tenant';
}

interface Transaction {
  /** Calls `action` after the commit; never after a rollback. */
  afterCommit(action: () => void): void;
  /** Wakes the loop of this process that works on a queue, after the commit. */
  wakes(queue: string): void;
  /**
   * Names the record that a POST creates, for the audit entry and the Idempotency-Key in this transaction. `company` is the record's
   * company when it differs from the caller's; null for a record of the installation.
   */
  created(id: string, company?: string | null): void;
  /** Says what the request has used of a model, for the audit entry in this transaction. */
  usedAi(use: AiUse): void;
  /**
   * Registers the answer of a statement that is not awaited, so that COMMIT is sent without waiting for it; when the statement fails,
   * nothing is committed. It must be a single statement whose answer decides nothing.
   */
  awaitAtCommit(answer: Promise<unknown>): void;
}

/** A transaction of one company, under row-level security. */
export interface TenantTx extends TenantRead, Transaction {
  readonly writable: true;
}

/** A transaction across companies. */
export interface SystemTx extends Executor, Transaction {
  /** Names companies whose records it changes, for the change feed. A transaction on behalf of one company need not name it. */
  concerns(companies: Iterable<string>): void;
  readonly [brand]: 'system';
}

/** A company, the actor that works for it, and the access to its data: the same in a request and in a job. */
export interface Acting {
  readonly companyId: string;
  readonly actor: Actor;
  readonly read: TenantRead;
  /** Runs reads for exports, which follow one index: planned without the bitmap scans that searches need. */
  readonly walk: TenantRead;
  tx<T>(work: (tx: TenantTx) => Promise<T>): Promise<T>;
}

/** The company that a request acts for; its caller is the actor. */
export interface Tenant extends Acting {
  readonly principal: Principal;
}

/** Returns the access with which a job works for a company as an actor that is no caller. */
export const actAs = (database: Database, companyId: string, actor: Actor): Acting => ({
  companyId,
  actor,
  read: database.read(companyId),
  walk: database.walk(companyId),
  tx: (work) => database.tenantTx(companyId, work, actor),
});

export interface Database {
  read(companyId: string): TenantRead;
  walk(companyId: string): TenantRead;
  /** Runs a transaction of one company. `actor` is whom the history of a conversation names; without one it names nobody. */
  tenantTx<T>(companyId: string, work: (tx: TenantTx) => Promise<T>, actor?: Actor): Promise<T>;
  /**
   * Runs a transaction across companies. `fromReserve` allows it while the disk is nearly full; only for a few hundred bytes whose number
   * is limited elsewhere.
   */
  systemTx<T>(behalf: ShareOwner, work: (tx: SystemTx) => Promise<T>, options?: { fromReserve: boolean }): Promise<T>;
  /** Runs one transaction that stores many callbacks in few round trips. */
  flushTx<T>(work: (tx: SystemTx) => Promise<T>, options: TransactionOptions): Promise<T>;
  /** Runs single statements across companies, each in its own transaction. */
  system(behalf: ShareOwner): SystemTx;
  /** Runs `work` while this process holds a lock of the installation; processes that want it as well wait for each other. */
  exclusively<T>(lock: number, work: () => Promise<T>): Promise<T>;
  /** Tells the loops of this process that a transaction has queued work for them. */
  wakeUps: WakeUps;
  /** Throws when the database does not answer, or has taken no changes for some seconds. */
  ping(): Promise<void>;
  /** Makes a small change. Returns whether the database took it within a second. */
  takesChanges(): Promise<boolean>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** Connections per role that companies share; those for the platform's own work are added. */
  poolSize: number;
  /** Refuses transactions while the disk has no room. */
  storage?: Storage;
  /** How many milliseconds a statement may take. A command of an operator may need more than a request. */
  statementMs?: number;
  /** How many milliseconds a caller waits for a connection before it gets 503. */
  waitMs?: number;
  /** How much a company without its own limit may store. */
  quota?: Quota;
  /** Announces of which companies committed transactions may have changed records. */
  publish?: (companies: Iterable<string>) => void;
  /** Runs reads in transactions under row-level security as well; the tests of tenant isolation use this. */
  readsUnderRls?: boolean;
}

/**
 * Returns a statement with BEGIN, the company id for row-level security and the actor for triggers, in one round trip. The id is checked
 * once more, because it becomes part of the SQL text; the actor is written in hexadecimal digits, because somebody has chosen its name.
 */
function beginStatement(companyId: string, actor?: Actor): string {
  if (!/^[0-9a-f]{24}$/.test(companyId)) throw new Error('not a company id');
  const begin = `begin; set local app.company_id = '${companyId}'`;
  const named = actor && toNamedActor(actor);
  return named ? `${begin}; set local app.actor = '${Buffer.from(JSON.stringify(named)).toString('hex')}'` : begin;
}

/** Outside of a request there is no audit entry that would need the id of the created record. */
const NO_TRAIL: Pick<Transaction, 'created' | 'usedAi'> = { created: () => undefined, usedAi: () => undefined };

interface TransactionParts {
  pool: pg.Pool;
  begin: string;
  publish: (companies: Iterable<string>) => void;
  /** The company that it works for; null for one that works for many, and names them itself. */
  company: string | null;
  wake: WakeUps['wake'];
  options?: TransactionOptions;
}

async function runTransaction<X, T>(
  { pool, begin, publish, company, wake, options }: TransactionParts,
  dress: (executor: TransactionExecutor & Transaction & Pick<SystemTx, 'concerns'>) => X,
  work: (tx: X) => Promise<T>,
): Promise<T> {
  const actions: (() => void)[] = [];
  const companies = new Set<string>(company === null ? [] : [company]);
  const dressed = (executor: TransactionExecutor): X =>
    dress({
      ...executor,
      afterCommit: (action) => void actions.push(action),
      wakes: (queue) => void actions.push(() => wake(queue)),
      ...NO_TRAIL,
      concerns: (some) => {
        for (const each of some) companies.add(each);
      },
    });
  const result = await inTransaction(pool, begin, (executor) => work(dressed(executor)), options);
  for (const action of actions) action();
  if (companies.size > 0) publish(companies);
  return result;
}

function createSystemTransaction(parts: Pick<TransactionParts, 'pool' | 'publish' | 'wake'>, crossing: Shares) {
  return <T>(behalf: ShareOwner, work: (tx: SystemTx) => Promise<T>, options: TransactionOptions = {}): Promise<T> =>
    crossing.within(behalf, () =>
      runTransaction(
        { ...parts, company: companyOf(behalf), begin: 'begin', options },
        (tx) => tx as unknown as SystemTx,
        work,
      ),
    );
}

type TenantTransactions = <T>(companyId: string, work: (tx: TenantTx) => Promise<T>, actor?: Actor) => Promise<T>;

const createTenantTransactions =
  (parts: Pick<TransactionParts, 'pool' | 'publish' | 'wake'>, writes: WriteWatch): TenantTransactions =>
  (companyId, work, actor) =>
    writes.note(
      runTransaction(
        { ...parts, company: companyId, begin: beginStatement(companyId, actor), options: { startsWithBegin: true } },
        (tx) => ({ ...tx, companyId, writable: true }) as unknown as TenantTx,
        work,
      ),
    );

const readUnderRls = (transact: TenantTransactions, companyId: string): Executor => ({
  query: <R>(statement: Statement) => transact(companyId, (tx) => tx.query<R>(statement)),
  execute: (statement) => transact(companyId, (tx) => tx.execute(statement)),
});

const openRead = (companyId: string, executor: Executor): TenantRead =>
  ({ ...executor, companyId }) as unknown as TenantRead;

/** Each statement is a transaction of its own, which has committed when it is answered. */
const createSingleStatements = (
  executor: Executor,
  { publish, wake }: Pick<TransactionParts, 'publish' | 'wake'>,
): SystemTx =>
  ({
    ...executor,
    afterCommit: (action: () => void) => action(),
    wakes: wake,
    ...NO_TRAIL,
    awaitAtCommit: () => {
      throw new Error('a single statement has no commit that others could travel with');
    },
    concerns: publish,
  }) as unknown as SystemTx;

function openPools({ url, poolSize, quota = null, statementMs, waitMs }: DatabaseOptions) {
  return {
    app: openPool(url, ROLES.app, poolSize, { quota, statementMs, waitMs }),
    read: openPool(url, ROLES.read, poolSize, { statementMs, waitMs }),
    system: openPool(url, ROLES.system, poolSize + SYSTEM_CONNECTIONS, { quota, statementMs, waitMs }),
  };
}

export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, storage = UNGUARDED, readsUnderRls = false, waitMs = PATIENT_WAIT_MS } = options;
  const wakeUps = createWakeUps();
  const ignore = (): void => undefined;
  const told = { publish: options.publish ?? ignore, wake: wakeUps.wake };
  const { app, read, system } = openPools(options);
  const writing = createCompanyShares(poolSize, waitMs);
  const reading = createCompanyShares(poolSize, waitMs);
  const crossing = createSystemShares(poolSize, waitMs);
  const searching = spaceSearches();
  const walking = spaceWalks();
  const writes = createWriteWatch(() => openSystem('admission'));
  const transactAcross = createSystemTransaction({ pool: system, ...told }, crossing);

  const underRls = createTenantTransactions({ pool: app, ...told }, writes);
  const readingUnderRls = createTenantTransactions({ pool: app, ...told, publish: ignore }, writes);
  const openSystem = (behalf: ShareOwner): SystemTx =>
    createSingleStatements(writes.noteStatements(runWithinShare(crossing, behalf, createExecutor(system))), told);

  return {
    // Under row-level security reads are not limited by shares, because a read inside a transaction would wait for the share that its own
    // transaction uses.
    read: (companyId) => {
      if (readsUnderRls) return openRead(companyId, readUnderRls(readingUnderRls, companyId));
      const fair = runWithinShare(reading, companyId, createExecutor(read));
      return openRead(companyId, withSpacedSearches(searching, companyId, fair));
    },
    walk: (companyId) =>
      openRead(
        companyId,
        runWithinShare(
          walking,
          companyId,
          runWithinShare(writing, companyId, readUnderRls(readingUnderRls, companyId)),
        ),
      ),
    tenantTx: (companyId, work, actor) =>
      storage.write(() => writing.within(companyId, () => underRls(companyId, work, actor))),
    systemTx: (behalf, work, { fromReserve } = { fromReserve: false }) =>
      (fromReserve ? UNGUARDED : storage).write(() => writes.note(transactAcross(behalf, work))),
    flushTx: (work, how) => storage.write(() => writes.note(transactAcross('callbacks', work, how))),
    system: openSystem,
    exclusively: (lock, work) => runExclusively(url, lock, work),
    wakeUps,
    // Uses the connections for admitting requests, so that slow searches of companies do not make the process look unhealthy.
    ping: async () => {
      await openSystem('admission').query({ name: 'tenant.ping', text: 'select 1', values: [] });
      await writes.check();
    },
    takesChanges: writes.takesChanges,
    close: async () => {
      await Promise.all([app, read, system].map(closePool));
    },
  };
}
