/** Opens the access to the data that tenant.ts describes: the pools, and what runs on them for companies and for the platform itself. */
import { runWithinShare, createSystemShares, SYSTEM_CONNECTIONS, type ShareOwner } from './connection-shares.ts';
import { closePool, openPool, PATIENT_WAIT_MS, type Quota } from './db.ts';
import { createExecutor } from './executors.ts';
import { runExclusively } from './exclusive.ts';
import { ROLES } from './roles.ts';
import { UNGUARDED, type Storage } from './storage.ts';
import { createSingleStatements, createSystemTransaction, openTenantAccess } from './tenant-transactions.ts';
import type { Database, SystemTx } from './tenant.ts';
import { createWakeUps } from './wake-ups.ts';
import { createWriteWatch } from './write-watch.ts';

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
  const told = { publish: options.publish ?? ((): void => undefined), wake: wakeUps.wake };
  const { app, read, system } = openPools(options);
  const crossing = createSystemShares(poolSize, waitMs);
  const writes = createWriteWatch(() => openSystem('admission'));
  const transactAcross = createSystemTransaction({ pool: system, ...told }, crossing);
  const openSystem = (behalf: ShareOwner): SystemTx =>
    createSingleStatements(writes.noteStatements(runWithinShare(crossing, behalf, createExecutor(system))), told);

  return {
    ...openTenantAccess({ app, read, told, writes, storage, poolSize, waitMs, readsUnderRls }),
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
