/**
 * Looks for noted changes of the companies that have streams in this process: after each announcement, and every few seconds in case an
 * announcement was lost. One statement reads the changes of all these companies.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { createPoller } from './poller.ts';
import { listSettled, noteChangesOf, readNoted } from './queries.ts';
import { groupChanges, type ChangedRecords } from './records.ts';

// A change whose announcement was lost is found within this time.
const LOOK_MS = 4_000;
// Announcements that arrive together share one look.
const GATHER_MS = 25;
const RETRY_MS = 500;
const RENEW_MS = 10 * 60_000;
// The changes of a longer outage of the database may have been deleted meanwhile.
const TRUSTED_MS = 3_000_000;
// Transactions of the platform last milliseconds.
const SETTLE_MS = 1_000;
const SETTLE_LOOK_MS = 20;
const SOON = { 'retry-after': '1' };

/** What has changed in a company since the last look. */
export interface News {
  changed: ChangedRecords;
  /** The transactions that had ended at this look. */
  snapshot: string;
  /** False when other changes before the snapshot may be missing. */
  isComplete: boolean;
}

/** Called for each watched company at each look. */
export type Deliver = (company: string, news: News) => void;

export interface Watch {
  /**
   * Begins to look for changes of the company, and resolves after the first look. While a transaction is open that began before, changes
   * may be missed; then a later look is not complete.
   */
  add(company: string): Promise<void>;
  remove(company: string): void;
  /** Looks soon. */
  wake(): void;
  stop(): Promise<void>;
}

export function createWatch(kit: Kit, deliver: Deliver): Watch {
  const watched = new Set<string>();
  // Companies with a transaction that began before their changes were noted.
  const unsettled = new Set<string>();
  let since: Place | null = null;
  let renewedAtMs = -Infinity;
  const poller = createPoller(look);

  async function look(): Promise<void> {
    const companies = [...watched];
    if (companies.length === 0) return;
    const system = kit.database.system('changes');
    try {
      renewedAtMs = await renew(system, companies, renewedAtMs);
      const settled = await takeSettled(system, unsettled);
      const found = await readNews(system, companies, since);
      since = watched.size > 0 ? found.place : null;
      for (const [company, news] of found.news)
        deliver(company, settled.includes(company) ? { ...news, isComplete: false } : news);
      if (watched.size > 0) poller.plan(LOOK_MS);
    } catch (error) {
      // Failure policy: the next look begins where the last one ended, so nothing is missed.
      kit.log.warn({ err: error }, 'live: changes could not be read');
      poller.plan(RETRY_MS);
    }
  }

  return {
    async add(company) {
      const system = kit.database.system('changes');
      await noteChangesOf(system, [company]);
      if (!(await settle(system, company))) unsettled.add(company);
      watched.add(company);
      await poller.poll();
      if (since === null) throw new AppError('UNAVAILABLE', 'Changes cannot be read right now', [], SOON);
    },
    remove: (company) => {
      watched.delete(company);
      unsettled.delete(company);
      if (watched.size > 0) return;
      since = null;
      poller.cancel();
    },
    wake: () => poller.plan(GATHER_MS),
    stop: async () => {
      watched.clear();
      poller.cancel();
      await poller.rest();
    },
  };
}

/** How far the changes have been read. */
interface Place {
  snapshot: string;
  readAtMs: number;
}

async function readNews(
  system: SystemTx,
  companies: string[],
  since: Place | null,
): Promise<{ place: Place; news: Map<string, News> }> {
  const { snapshot, changes } = await readNoted(system, companies, since?.snapshot ?? null);
  const readAtMs = performance.now();
  const isComplete =
    since === null ||
    (readAtMs - since.readAtMs < TRUSTED_MS && readTimeline(since.snapshot) === readTimeline(snapshot));
  const byCompany = Map.groupBy(changes, ({ company }) => company);
  const collectNews = (company: string): News => ({
    changed: groupChanges(byCompany.get(company) ?? []),
    snapshot,
    isComplete,
  });
  return { place: { snapshot, readAtMs }, news: new Map(companies.map((company) => [company, collectNews(company)])) };
}

const readTimeline = (snapshot: string): string => snapshot.slice(0, snapshot.indexOf('.'));

/** Makes the database go on noting, if that was begun long ago. Returns when it was last begun. */
async function renew(system: SystemTx, companies: string[], renewedAtMs: number): Promise<number> {
  const now = performance.now();
  if (now - renewedAtMs < RENEW_MS) return renewedAtMs;
  await noteChangesOf(system, companies);
  return now;
}

/** Waits for a moment until all transactions have ended that began before the changes of the company were noted. */
async function settle(system: SystemTx, company: string): Promise<boolean> {
  for (const endMs = performance.now() + SETTLE_MS; performance.now() < endMs; await sleep(SETTLE_LOOK_MS))
    if ((await listSettled(system, [company])).length > 0) return true;
  return false;
}

/** Removes the companies whose earlier transactions have ended by now, and returns them. */
async function takeSettled(system: SystemTx, unsettled: Set<string>): Promise<string[]> {
  const settled = unsettled.size > 0 ? await listSettled(system, [...unsettled]) : [];
  for (const company of settled) unsettled.delete(company);
  return settled;
}
