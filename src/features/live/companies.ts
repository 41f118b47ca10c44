/** The companies that have streams in this process. */
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { createHub, type Hub } from './hub.ts';
import { createPresence, type CompanyPresence } from './presence.ts';
import { createWatch } from './watch.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// Once half of all streams are taken, the rest is kept for companies that have fewer than this.
const KEPT_FOR_EACH = declareLimit(20, {
  topic: 'Live',
  what: "Streams per company, once half of the process's streams are used",
  beyond: '429',
});
// Visitors of web chats leave this share of the streams to the people who answer them.
const SHARE_OF_VISITORS = declareLimit(3 / 4, {
  topic: 'Live',
  what: 'Streams per process: share of web chat visitors',
  unit: 'percent',
  beyond: '429',
});
const TICK_MS = 5_000;
// Proxies close a connection on which nothing is sent for a minute.
const BEAT_TICKS = 3;

interface LiveCompany {
  hub: Hub;
  presence: CompanyPresence;
  /** Resolves when no change is missed any more. */
  started: Promise<void>;
  /** Includes those that are being opened. */
  streams: number;
  unfollow(): void;
}

export interface LiveCompanies {
  /** Counts a stream of the company. Throws RATE_LIMITED when there are too many. */
  enter(company: string, options?: { isVisitor: boolean }): Pick<LiveCompany, 'hub' | 'presence' | 'started'>;
  leave(company: string): void;
  stop(): Promise<void>;
}

export function createCompanies(kit: Kit): LiveCompanies {
  const companies = new Map<string, LiveCompany>();
  const watch = createWatch(kit, (company, news) => companies.get(company)?.hub.take(news));
  let ticks = 0;
  let timer: NodeJS.Timeout | null = null;

  function begin(company: string): LiveCompany {
    const hub = createHub(kit.database.read(company), kit);
    const presence = createPresence(hub.announce, (data) => kit.changes.signal({ company, data }));
    const follower = { changed: watch.wake, signalled: presence.take, ended: hub.end };
    const unfollow = kit.changes.follow(company, follower);
    const its: LiveCompany = { hub, presence, started: watch.add(company), streams: 0, unfollow };
    companies.set(company, its);
    timer ??= setInterval(tick, TICK_MS);
    return its;
  }

  function tick(): void {
    ticks += 1;
    for (const { presence } of companies.values()) presence.tick();
    if (ticks % BEAT_TICKS === 0) for (const { hub } of companies.values()) hub.beat();
  }

  function stopTicks(): void {
    if (timer) clearInterval(timer);
    timer = null;
  }

  return {
    enter: (company, { isVisitor } = { isVisitor: false }) => {
      const known = companies.get(company);
      // Half of the connections stay free for requests.
      const most = kit.config.CONNECTIONS / 2;
      const all = [...companies.values()].reduce((sum, { streams }) => sum + streams, 0);
      const isFull = all >= (isVisitor ? most * SHARE_OF_VISITORS : most);
      if (isFull || (all >= most / 2 && (known?.streams ?? 0) >= KEPT_FOR_EACH))
        throw new AppError('RATE_LIMITED', 'Too many live streams are open', [], { 'retry-after': '30' });
      const its = known ?? begin(company);
      its.streams += 1;
      return its;
    },
    leave: (company) => {
      const its = companies.get(company);
      if (!its || --its.streams > 0) return;
      its.unfollow();
      companies.delete(company);
      watch.remove(company);
      if (companies.size === 0) stopTicks();
    },
    stop: async () => {
      stopTicks();
      await watch.stop();
    },
  };
}
