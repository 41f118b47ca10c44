/**
 * The way to the data. A query accepts only what this file hands out, so that no statement runs without saying for whom:
 * a TenantTx or TenantRead carries one company; a SystemTx is for the few rooms whose work crosses companies.
 */
import type pg from 'pg';
import type { Principal } from './auth.ts';
import { ACQUIRE_TIMEOUT_MS, executorOf, inTransaction, openPool, ROLES, type Executor, type Statement } from './db.ts';
import { createShares, type Shares } from './shares.ts';

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

/** Who asks, for which company, and the way to its data. */
export interface Tenant {
  readonly companyId: string;
  readonly principal: Principal;
  readonly read: TenantRead;
  tx<T>(work: (tx: TenantTx) => Promise<T>): Promise<T>;
}

export interface Database {
  read(companyId: string): TenantRead;
  tenantTx<T>(companyId: string, work: (tx: TenantTx) => Promise<T>): Promise<T>;
  systemTx<T>(work: (tx: SystemTx) => Promise<T>): Promise<T>;
  /** Single statements across companies: each is its own transaction. */
  readonly system: SystemTx;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** Connections per role. One company has half of them at most: its locked rows and slow searches hold up nobody else. */
  poolSize: number;
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
  pool: pg.Pool,
  begin: string,
  dress: (executor: Executor & Transaction) => X,
  work: (tx: X) => Promise<T>,
): Promise<T> {
  const actions: (() => void)[] = [];
  const result = await inTransaction(pool, begin, (executor) =>
    work(dress({ ...executor, afterCommit: (action) => void actions.push(action), makes: noTrail })),
  );
  for (const action of actions) action();
  return result;
}

export function openDatabase(options: DatabaseOptions): Database {
  const app = openPool(options.url, ROLES.app, options.poolSize);
  const read = openPool(options.url, ROLES.read, options.poolSize);
  const system = openPool(options.url, ROLES.system, options.poolSize);
  const reader = executorOf(read);

  const shares = (): Shares => createShares(Math.max(2, Math.floor(options.poolSize / 2)), ACQUIRE_TIMEOUT_MS);
  const writing = shares();
  const reading = shares();

  function underRls<T>(companyId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    return transact(
      app,
      beginFor(companyId),
      (tx) => ({ ...tx, companyId, writable: true }) as unknown as TenantTx,
      work,
    );
  }

  // A read inside a transaction would wait for a share that its own transaction holds, so under this option nothing is shared.
  function readUnderRls(companyId: string): Executor {
    return {
      query: <R>(statement: Statement) => underRls(companyId, (tx) => tx.query<R>(statement)),
      execute: (statement) => underRls(companyId, (tx) => tx.execute(statement)),
    };
  }

  function readInShare(companyId: string): Executor {
    return {
      query: <R>(statement: Statement) => reading.within(companyId, () => reader.query<R>(statement)),
      execute: (statement) => reading.within(companyId, () => reader.execute(statement)),
    };
  }

  return {
    read: (companyId) =>
      ({
        ...(options.readsUnderRls ? readUnderRls(companyId) : readInShare(companyId)),
        companyId,
      }) as unknown as TenantRead,
    tenantTx: (companyId, work) => writing.within(companyId, () => underRls(companyId, work)),
    systemTx: (work) => transact(system, 'begin', (tx) => tx as unknown as SystemTx, work),
    system: {
      ...executorOf(system),
      afterCommit: (action: () => void) => action(),
      makes: noTrail,
    } as unknown as SystemTx,
    ping: async () => void (await reader.query({ name: 'tenant.ping', text: 'select 1', values: [] })),
    close: async () => {
      await Promise.all([app.end(), read.end(), system.end()]);
    },
  };
}
