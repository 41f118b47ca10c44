/**
 * Access to the data. Queries accept only executors from this file, so that each statement names whom it runs for: a TenantTx or
 * TenantRead belongs to one company; a SystemTx is for the few features that work across companies and names on whose behalf they do.
 * Each company has a share of every connection pool, and so has each kind of the platform's own work.
 */
import type { Actor } from '../values/actor.ts';
import type { AiUse } from '../values/ai-use.ts';
import type { Principal } from '../http/auth.ts';
import type { ShareOwner } from './connection-shares.ts';
import type { Executor } from './db.ts';
import type { TransactionOptions } from './transaction.ts';
import type { WakeUps } from './wake-ups.ts';

declare const brand: unique symbol;

/** A user who sees only these inboxes, and what belongs to them; null for callers who see all. */
export type Sight = { user: string; inboxes: readonly string[] } | null;

/** Runs single statements for one company. Their conditions must contain the company's id. */
export interface TenantRead extends Executor {
  readonly companyId: string;
  readonly sight: Sight;
  readonly [brand]: 'tenant';
}

export interface Transaction {
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
  /** Returns the same caller with all inboxes in sight, for changes that also concern inboxes that the caller does not see. */
  whole(): Tenant;
}

/** Returns the access with which a job works for a company as an actor that is no caller. */
export const actAs = (database: Database, companyId: string, actor: Actor, sight: Sight = null): Acting => ({
  companyId,
  actor,
  read: database.read(companyId, sight),
  walk: database.walk(companyId, sight),
  tx: (work) => database.tenantTx(companyId, work, actor, sight),
});

export interface Database {
  read(companyId: string, sight?: Sight): TenantRead;
  walk(companyId: string, sight?: Sight): TenantRead;
  /** Runs a transaction of one company. `actor` is whom the history of a conversation names; without one it names nobody. */
  tenantTx<T>(companyId: string, work: (tx: TenantTx) => Promise<T>, actor?: Actor, sight?: Sight): Promise<T>;
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
