/**
 * The change feed announces, after each commit, of which companies a transaction may have changed records. It reaches all followers of the
 * company in this process and in the others, and says only when to look: what has changed, followers read in the database. An announcement is
 * lost when its process dies.
 */
import type { Follower, Signal } from './change.ts';
import type { Announced, OtherProcesses } from './neighbours.ts';

// Changes of the same moment are announced together, because each announcement makes followers read records.
const GATHER_MS = 10;

export interface ChangeFeed {
  /** Announces that changes of these companies are committed. */
  publish(companies: Iterable<string>): void;
  /** Sends a signal to all followers of its company, once. */
  signal(signal: Signal): void;
  /** Tells the follower of each change in the company. Returns a function that ends this. */
  follow(company: string, follower: Follower): () => void;
  /** Connects the feed with those of the other processes that use the same database. */
  connect(open: (feed: Announced) => OtherProcesses): void;
  /** The first step of a stop: ends all followers, and each that comes later at once. */
  endFollowers(): void;
  /** The last step of a stop: announces what was published, and closes the connection to other processes. */
  close(): Promise<void>;
}

export function createChangeFeed(): ChangeFeed {
  const followers = createFollowers();
  let gathered = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let neighbours: OtherProcesses | null = null;

  function announce(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    const companies = gathered;
    gathered = new Set();
    followers.changed(companies);
    neighbours?.notify(companies);
  }

  return {
    publish: (companies) => {
      // Without other processes and without followers nobody would learn of it.
      if (!neighbours && followers.isEmpty()) return;
      for (const company of companies) gathered.add(company);
      timer ??= setTimeout(announce, GATHER_MS);
    },
    signal: (signal) => {
      followers.signalled(signal);
      neighbours?.signal(signal);
    },
    follow: (company, follower) => {
      neighbours?.listen();
      return followers.add(company, follower);
    },
    connect: (open) => void (neighbours = open(followers)),
    endFollowers: () => {
      announce();
      followers.ended();
    },
    close: async () => {
      announce();
      await neighbours?.close();
      neighbours = null;
    },
  };
}

/** The followers of this process, by company. Once `ended` is true, each new follower ends at once. */
function createFollowers() {
  const followers = new Map<string, Set<Follower>>();
  let isEnding = false;
  const everybody = (): Follower[] => [...followers.values()].flatMap((some) => [...some]);
  return {
    isEmpty: (): boolean => followers.size === 0,
    add: (company: string, follower: Follower): (() => void) => {
      const its = followers.get(company) ?? new Set();
      if (isEnding) follower.ended();
      else followers.set(company, its.add(follower));
      return () => {
        its.delete(follower);
        if (its.size === 0) followers.delete(company);
      };
    },
    changed: (companies: Iterable<string>): void => {
      for (const company of companies) for (const follower of followers.get(company) ?? []) follower.changed();
    },
    signalled: ({ company, data }: Signal): void => {
      for (const follower of followers.get(company) ?? []) follower.signalled?.(data);
    },
    missed: (): void => {
      for (const follower of everybody()) follower.changed();
    },
    ended: (): void => {
      isEnding = true;
      for (const follower of everybody()) follower.ended();
      followers.clear();
    },
  };
}
