/**
 * The change feed announces, after each commit, which records of a company a transaction has changed. It reaches all followers of the
 * company in this process and in the others, and does not depend on a webhook. An announcement is lost when its process dies; followers are
 * then asked to read their records anew from the database.
 */
import type { Change, Follower, Signal } from './change.ts';
import type { Announced, OtherProcesses } from './neighbours.ts';

// Changes of the same moment are announced together, because each announcement makes followers read records.
const GATHER_MS = 10;
// Beyond this many records of one kind a follower reads its list anew instead of each record.
const MAX_IDS = 100;

export interface ChangeFeed {
  /** Announces changes that are committed. */
  publish(changes: Change[]): void;
  /** Sends a signal to all followers of its company, once. */
  signal(signal: Signal): void;
  /** Announces the changes of one company to the follower. Returns a function that ends this. */
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
  let gathered = new Map<string, Change>();
  let timer: NodeJS.Timeout | null = null;
  let neighbours: OtherProcesses | null = null;

  function announce(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    const changes = [...gathered.values()];
    gathered = new Map();
    followers.changed(changes);
    neighbours?.notify(changes);
  }

  return {
    publish: (changes) => {
      // Without other processes and without followers nobody would receive the changes.
      if (!neighbours && followers.isEmpty()) return;
      for (const change of changes) gatherChange(gathered, change);
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
    changed: (changes: Change[]): void => {
      for (const [company, its] of Map.groupBy(changes, (change) => change.company)) {
        for (const follower of followers.get(company) ?? []) follower.changed(its);
      }
    },
    signalled: ({ company, data }: Signal): void => {
      for (const follower of followers.get(company) ?? []) follower.signalled?.(data);
    },
    missed: (): void => {
      for (const follower of everybody()) follower.missed();
    },
    ended: (): void => {
      isEnding = true;
      for (const follower of everybody()) follower.ended();
      followers.clear();
    },
  };
}

/** Adds a change to those of the same company and kind. */
function gatherChange(gathered: Map<string, Change>, { company, kind, ids }: Change): void {
  const key = `${company} ${kind}`;
  const known = gathered.get(key) ?? { ids: [] };
  const all = known.ids === null || ids === null ? null : [...new Set([...known.ids, ...ids])];
  gathered.set(key, { company, kind, ids: all && all.length <= MAX_IDS ? all : null });
}
