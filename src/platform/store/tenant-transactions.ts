/** The transactions and single statements whose types tenant.ts declares. */
import type pg from 'pg';
import { isId } from '../values/ids.ts';
import { toNamedActor, type Actor } from '../values/actor.ts';
import type { Shares } from '../work/shares.ts';
import { companyOf, runWithinShare, createCompanyShares, type ShareOwner } from './connection-shares.ts';
import { type Executor, type Statement } from './db.ts';
import { createExecutor } from './executors.ts';
import { ROLES } from './roles.ts';
import { spaceSearches, spaceWalks, withPatience, withSpacedSearches } from './spaced-searches.ts';
import type { Storage } from './storage.ts';
import type { Database, Sight, SystemTx, TenantRead, TenantTx, Transaction } from './tenant.ts';
import { inTransaction, type TransactionExecutor, type TransactionOptions } from './transaction.ts';
import type { WakeUps } from './wake-ups.ts';
import type { WriteWatch } from './write-watch.ts';

/**
 * Returns a statement with BEGIN, the company and its visible inboxes for row-level security, and the actor for triggers, in one round trip.
 * The ids are checked once more, because they become part of the SQL text; the actor is written in hexadecimal digits, because somebody has
 * chosen its name.
 */
function beginStatement(companyId: string, actor: Actor | undefined, sight: Sight, member: MemberRole): string {
  if (![companyId, ...(sight ? [sight.user, ...sight.inboxes] : [])].every(isId))
    throw new Error('the id of the company, of the user or of an inbox in sight is invalid');
  const named = actor && toNamedActor(actor);
  return [
    'begin',
    `set local app.company_id = '${companyId}'`,
    ...(named ? [`set local app.actor = '${Buffer.from(JSON.stringify(named)).toString('hex')}'`] : []),
    ...(sight ? [`set local app.member = '${sight.user}'`, `set local app.inboxes = '${sight.inboxes.join()}'`] : []),
    ...(sight ? [`set local role ${member}`] : []),
  ].join('; ');
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

export function createSystemTransaction(parts: Pick<TransactionParts, 'pool' | 'publish' | 'wake'>, crossing: Shares) {
  return <T>(behalf: ShareOwner, work: (tx: SystemTx) => Promise<T>, options: TransactionOptions = {}): Promise<T> =>
    crossing.within(behalf, () =>
      runTransaction(
        { ...parts, company: companyOf(behalf), begin: 'begin', options },
        (tx) => tx as unknown as SystemTx,
        work,
      ),
    );
}

type TenantTransactions = Database['tenantTx'];

/** The role of a user who sees only some inboxes. */
type MemberRole = typeof ROLES.member | typeof ROLES.memberRead;

const createTenantTransactions =
  (
    parts: Pick<TransactionParts, 'pool' | 'publish' | 'wake' | 'options'>,
    writes: WriteWatch,
    member: MemberRole = ROLES.member,
  ): TenantTransactions =>
  (companyId, work, actor, sight = null) =>
    writes.note(
      runTransaction(
        { ...parts, company: companyId, begin: beginStatement(companyId, actor, sight, member) },
        (tx) => ({ ...tx, companyId, sight, writable: true }) as unknown as TenantTx,
        work,
      ),
    );

function readUnderRls(transact: TenantTransactions, companyId: string, sight: Sight): Executor {
  const within = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => transact(companyId, work, undefined, sight);
  return {
    query: <R>(statement: Statement) => within((tx) => tx.query<R>(statement)),
    execute: (statement) => within((tx) => tx.execute(statement)),
  };
}

const openRead = (companyId: string, sight: Sight, executor: Executor): TenantRead =>
  ({ ...executor, companyId, sight }) as unknown as TenantRead;

/** Each statement is a transaction of its own, which has committed when it is answered. */
export const createSingleStatements = (
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

interface TenantAccessParts {
  app: pg.Pool;
  read: pg.Pool;
  told: Pick<TransactionParts, 'publish' | 'wake'>;
  writes: WriteWatch;
  storage: Storage;
  poolSize: number;
  waitMs: number;
  readsUnderRls: boolean;
}

/** Opens the access to the data of single companies. */
export function openTenantAccess(parts: TenantAccessParts): Pick<Database, 'read' | 'walk' | 'tenantTx'> {
  const { app, read, told, writes, storage, poolSize, waitMs } = parts;
  const writing = createCompanyShares(poolSize, waitMs);
  const reading = createCompanyShares(poolSize, waitMs);
  const searching = spaceSearches();
  const walking = spaceWalks();
  // Without BEGIN, the first statements would see no company.
  const atOnce = { options: { startsWithBegin: true } };
  const silent = { ...told, publish: (): void => undefined };
  const underRls = createTenantTransactions({ pool: app, ...told, ...atOnce }, writes);
  const readingUnderRls = createTenantTransactions({ pool: app, ...silent, ...atOnce }, writes);
  // The reading role sees everything, so BEGIN has to succeed before the first statement.
  const readingSome = createTenantTransactions({ pool: read, ...silent }, writes, ROLES.memberRead);
  return {
    // Under row-level security reads are not limited by shares, because a read inside a transaction would wait for the share that its own
    // transaction uses.
    read: (companyId, sight = null) => {
      if (parts.readsUnderRls) return openRead(companyId, sight, readUnderRls(readingUnderRls, companyId, sight));
      const executor = sight ? readUnderRls(readingSome, companyId, sight) : createExecutor(read);
      const fair = runWithinShare(reading, companyId, executor);
      return openRead(companyId, sight, withSpacedSearches(searching, companyId, fair));
    },
    walk: (companyId, sight = null) => {
      const fair = runWithinShare(writing, companyId, readUnderRls(readingUnderRls, companyId, sight));
      return openRead(companyId, sight, withPatience(runWithinShare(walking, companyId, fair)));
    },
    tenantTx: (companyId, work, actor, sight) =>
      storage.write(() => writing.within(companyId, () => underRls(companyId, work, actor, sight))),
  };
}
