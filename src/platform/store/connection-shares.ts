/** Divides the connections to the database: among companies, and among the kinds of work of the platform itself. */
import { isAway, type Executor, type Statement } from './db.ts';
import { createShares, type Shares } from '../work/shares.ts';
import { declareLimit, declareSettingLimit } from '../values/limits.ts';

declareSettingLimit('DATABASE_POOL', {
  topic: 'Operation',
  what: 'Database connections of each role, per process',
  beyond: 'the next request waits',
});
declareSettingLimit('DATABASE_WAIT', {
  topic: 'Operation',
  what: 'Wait for a database connection, or for a record that is being changed',
  unit: 'ms',
  beyond: '503',
});

/** The kinds of the platform's own work, and how many connections are reserved for each. */
const LANES = {
  /** Admitting requests: token, company and rate limits. The rate limits run two queries at once. */
  admission: 3,
  /** Announcing changes to other processes, one statement at a time. */
  changes: 1,
  /** Storing callbacks: three transactions at once, and one for portions of large callbacks. */
  callbacks: 4,
  /** Deliveries: claiming, beginning, recording and sweeping, each at most once at a time. */
  deliveries: 4,
  /** Work that nobody waits for: retention, statistics, and statuses that arrived before their message. */
  upkeep: 3,
};

const COMPANY_SHARE = declareLimit(1 / 2, {
  topic: 'Operation',
  what: 'Database connections of each role: share of one company',
  unit: 'percent',
  beyond: 'its next request waits',
});

type Lane = keyof typeof LANES;

// The longest wait of upkeep and of background work for a connection, because nobody waits for its result, and purging a large table takes
// seconds.
const UPKEEP_WAIT_MS = 30_000;

/**
 * The owner of the share of connections that work across companies uses: a kind of work of the platform itself, or the company, principal
 * or address that caused it.
 */
export type ShareOwner = Lane | `company:${string}` | `principal:${string}` | `address:${string}`;

export const callerShareOwner = (company: string | null, principal: string): ShareOwner =>
  company === null ? `principal:${principal}` : `company:${company}`;

/** The company on whose behalf it is; null for anybody else. */
export const companyOf = (owner: ShareOwner): string | null =>
  owner.startsWith('company:') ? owner.slice('company:'.length) : null;

/**
 * Gives one company at most half of a pool, and reserves the other half for companies that use no connection at the moment, so that locked
 * rows and slow searches of some companies do not delay the others. A company's background work, such as the backlog after an outage, leaves one
 * of its connections to its callers and waits behind them. Time lost to a database that is away is not held against a company.
 */
export function createCompanyShares(poolSize: number, waitMs: number): Shares {
  const kept = Math.floor(poolSize * (1 - COMPANY_SHARE));
  const callersFirst = { left: 1, backgroundWaitMs: Math.max(UPKEEP_WAIT_MS, waitMs) };
  return createShares(poolSize - kept, waitMs, { all: poolSize, kept, callersFirst, excuses: isAway });
}

/** Divides the pool of the system role: one share for each kind of work of the platform itself, and one for each company or caller. */
export function createSystemShares(poolSize: number, waitMs: number): Shares {
  const companies = createCompanyShares(poolSize, waitMs);
  const lanes = new Map<string, Shares>(
    Object.entries(LANES).map(([lane, places]) => [
      lane,
      createShares(places, lane === 'upkeep' ? Math.max(UPKEEP_WAIT_MS, waitMs) : waitMs),
    ]),
  );
  return { within: (behalf, work) => (lanes.get(behalf) ?? companies).within(behalf, work) };
}

export const SYSTEM_CONNECTIONS = Object.values(LANES).reduce((sum, places) => sum + places);

/** Runs each statement of the executor within the share of its owner. */
export function runWithinShare(shares: Shares, owner: string, executor: Executor): Executor {
  return {
    query: <R>(statement: Statement) => shares.within(owner, () => executor.query<R>(statement)),
    execute: (statement) => shares.within(owner, () => executor.execute(statement)),
  };
}
