/**
 * The way to the data. A query accepts only what this file hands out, so that no statement runs without saying for whom: a TenantTx or
 * TenantRead carries one company; a SystemTx is for the few rooms whose work crosses companies, and says on whose behalf it is done. Each
 * company has a share of every pool, and so has each kind of the platform's own work.
 */
import type pg from 'pg';
import type { Principal } from './auth.ts';
import {
  ACQUIRE_TIMEOUT_MS,
  createExecutor,
  openPool,
  ROLES,
  type Executor,
  type Quota,
  type Statement,
} from './db.ts';
import { createShares, type Shares } from './shares.ts';
import { UNGUARDED, type Storage } from './storage.ts';
import { inTransaction, type TransactionExecutor, type TransactionOptions } from './transaction.ts';

declare const brand: unique symbol;

/** Single statements of one company, which they name themselves. */
export interface TenantRead extends Executor {
  readonly companyId: string;
  readonly [brand]: 'tenant';
}

interface Transaction {
  /** Runs once the transaction is committed; never when it is rolled back. */
  afterCommit(action: () => void): void;
  /**
   * Names the record that a POST makes: the audit and its Idempotency-Key are bound to it, in this transaction. `company`: whose
   * it is, where it is not the caller's; null for the installation's.
   */
  makes(id: string, company?: string | null): void;
}

/** A transaction of one company, under row-level security. */
export interface TenantTx extends TenantRead, Transaction {
  readonly writable: true;
}

/** A transaction across companies. */
export interface SystemTx extends Executor, Transaction {
  readonly [brand]: 'system';
}

/** A transaction across companies whose statements need not all be waited for. */
export type FlushTx = SystemTx & Pick<TransactionExecutor, 'trails'>;

/** Who asks, for which company, and the way to its data. */
export interface Tenant {
  readonly companyId: string;
  readonly principal: Principal;
  readonly read: TenantRead;
  /** Reads along one index for exports: planned as the company's transactions are, without the bitmaps that searches need. */
  readonly walk: TenantRead;
  tx<T>(work: (tx: TenantTx) => Promise<T>): Promise<T>;
}

/** The platform's own work, by kind: how many connections each kind has that nobody else takes. */
const LANES = {
  /** What a request needs before it is anybody's: its token, its company, its rate limits. The limits ask twice at once. */
  door: 3,
  /** Three transactions of the intake at once, and one for portions of large callbacks. */
  callbacks: 4,
  /** Claiming, beginning, recording and sweeping: each once at a time. */
  deliveries: 4,
  /** Everything that nobody waits for: retention, statistics, statuses that crossed their message. */
  upkeep: 3,
};

type Lane = keyof typeof LANES;

// Nobody waits for upkeep, and a purge of a large table holds its connection for seconds.
const UPKEEP_WAIT_MS = 30_000;

/** Whose connections work across companies takes: a share of whoever caused it, or a lane of the platform's own work. */
export type Behalf = Lane | `company:${string}` | `principal:${string}` | `address:${string}`;

export const callerBehalf = (company: string | null, principal: string): Behalf =>
  company === null ? `principal:${principal}` : `company:${company}`;

export interface Database {
  read(companyId: string): TenantRead;
  walk(companyId: string): TenantRead;
  tenantTx<T>(companyId: string, work: (tx: TenantTx) => Promise<T>): Promise<T>;
  /** `fromReserve`: for a few hundred bytes that something else bounds; goes on while a full disk refuses other writes. */
  systemTx<T>(behalf: Behalf, work: (tx: SystemTx) => Promise<T>, options?: { fromReserve: boolean }): Promise<T>;
  /** One transaction for many callbacks, in as few round trips as it can do with. */
  flushTx<T>(work: (tx: FlushTx) => Promise<T>, options: TransactionOptions): Promise<T>;
  /** Single statements across companies: each is its own transaction. */
  system(behalf: Behalf): SystemTx;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** Connections per role that companies share; what the platform's own work has comes on top. */
  poolSize: number;
  /** Refuses transactions while there is no room for what they write. */
  storage?: Storage;
  /** What a company may store that has no limit of its own. */
  quota?: Quota;
  /** Sends reads, too, through a transaction under row-level security; the tests run the tenancy matrix this way. */
  readsUnderRls?: boolean;
}

/** BEGIN and the company in one round trip. The id is checked by its caller; the pattern is the last word. */
function beginFor(companyId: string): string {
  if (!/^[0-9a-f]{24}$/.test(companyId)) throw new Error('not a company id');
  return `begin; set local app.company_id = '${companyId}'`;
}

/** Outside a request nobody asks what was made. */
const noTrail = (): void => undefined;

async function transact<X, T>(
  { pool, begin, options }: { pool: pg.Pool; begin: string; options?: TransactionOptions },
  dress: (executor: TransactionExecutor & Transaction) => X,
  work: (tx: X) => Promise<T>,
): Promise<T> {
  const actions: (() => void)[] = [];
  const dressed = (executor: TransactionExecutor): X =>
    dress({ ...executor, afterCommit: (action) => void actions.push(action), makes: noTrail });
  const result = await inTransaction(pool, begin, (executor) => work(dressed(executor)), options);
  for (const action of actions) action();
  return result;
}

/**
 * One company has half of a pool at most, and companies that hold a connection leave the other half to those that hold none:
 * the locked rows and slow searches of some companies hold up nobody else.
 */
function shareAmongCompanies(poolSize: number): Shares {
  const kept = Math.floor(poolSize / 2);
  return createShares(poolSize - kept, ACQUIRE_TIMEOUT_MS, { all: poolSize, kept });
}

/** Runs work of the system's role in the share of the one on whose behalf it is done. */
function shareSystemPool(poolSize: number): Shares {
  const companies = shareAmongCompanies(poolSize);
  const lanes = new Map<string, Shares>(
    Object.entries(LANES).map(([lane, places]) => [
      lane,
      createShares(places, lane === 'upkeep' ? UPKEEP_WAIT_MS : ACQUIRE_TIMEOUT_MS),
    ]),
  );
  return { within: (behalf, work) => (lanes.get(behalf) ?? companies).within(behalf, work) };
}

const SYSTEM_CONNECTIONS = Object.values(LANES).reduce((sum, places) => sum + places);

function shared(shares: Shares, owner: string, executor: Executor): Executor {
  return {
    query: <R>(statement: Statement) => shares.within(owner, () => executor.query<R>(statement)),
    execute: (statement) => shares.within(owner, () => executor.execute(statement)),
  };
}

function openAcross(pool: pg.Pool, crossing: Shares) {
  return <T>(behalf: Behalf, work: (tx: FlushTx) => Promise<T>, options: TransactionOptions = {}): Promise<T> =>
    crossing.within(behalf, () => transact({ pool, begin: 'begin', options }, (tx) => tx as unknown as FlushTx, work));
}

export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, storage = UNGUARDED, quota = null, readsUnderRls = false } = options;
  const app = openPool(url, ROLES.app, poolSize, quota);
  const read = openPool(url, ROLES.read, poolSize);
  const system = openPool(url, ROLES.system, poolSize + SYSTEM_CONNECTIONS, quota);
  const writing = shareAmongCompanies(poolSize);
  const reading = shareAmongCompanies(poolSize);
  const crossing = shareSystemPool(poolSize);
  const transactAcross = openAcross(system, crossing);

  function underRls<T>(companyId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    return transact(
      { pool: app, begin: beginFor(companyId) },
      (tx) => ({ ...tx, companyId, writable: true }) as unknown as TenantTx,
      work,
    );
  }

  const readUnderRls = (companyId: string): Executor => ({
    query: <R>(statement: Statement) => underRls(companyId, (tx) => tx.query<R>(statement)),
    execute: (statement) => underRls(companyId, (tx) => tx.execute(statement)),
  });

  const openRead = (companyId: string, executor: Executor): TenantRead =>
    ({ ...executor, companyId }) as unknown as TenantRead;

  const openSystem = (behalf: Behalf): SystemTx =>
    ({
      ...shared(crossing, behalf, createExecutor(system)),
      afterCommit: (action: () => void) => action(),
      makes: noTrail,
    }) as unknown as SystemTx;

  return {
    // A read inside a transaction would wait for a share that its own transaction holds, so under RLS nothing is shared.
    read: (companyId) =>
      openRead(companyId, readsUnderRls ? readUnderRls(companyId) : shared(reading, companyId, createExecutor(read))),
    walk: (companyId) => openRead(companyId, shared(writing, companyId, readUnderRls(companyId))),
    tenantTx: (companyId, work) => storage.write(() => writing.within(companyId, () => underRls(companyId, work))),
    systemTx: (behalf, work, { fromReserve } = { fromReserve: false }) =>
      (fromReserve ? UNGUARDED : storage).write(() => transactAcross(behalf, work)),
    flushTx: (work, how) => storage.write(() => transactAcross('callbacks', work, how)),
    system: openSystem,
    // By the door, where slow searches do not make it wait: a process whose companies keep it busy is well.
    ping: async () => void (await openSystem('door').query({ name: 'tenant.ping', text: 'select 1', values: [] })),
    close: async () => {
      await Promise.all([app.end(), read.end(), system.end()]);
    },
  };
}
