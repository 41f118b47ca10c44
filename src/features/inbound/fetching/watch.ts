/**
 * Watches inboxes whose networks say on an open connection that something has arrived, and makes them due at once. The time after which they
 * are due anyhow stays as it is, so a watch that fails only makes messages later.
 */
import type { Kit } from '../../../kit.ts';
import { newId } from '../../../platform/values/ids.ts';
import { networkCredentials } from '../../inboxes/connection.ts';
import { haltInbox } from './halt.ts';
import { claimWatches, endWatch, noteNews, renewWatches, type WatchedInbox } from './watch-queries.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// A watch holds a connection and about 100 kB.
const MOST = declareLimit(64, {
  topic: 'E-mail',
  what: 'Mailboxes watched with IDLE, per process',
  beyond: 'read every 20 s',
});
const MOST_PER_COMPANY = declareLimit(4, {
  topic: 'E-mail',
  what: 'Mailboxes watched with IDLE, per company and process',
  beyond: 'read every 20 s',
});
const LOOK_MS = 5_000;
// A process that is alive renews its watches several times before.
const LEASE_SECONDS = 60;
/** The pause after a connection has ended, and after a network has not offered a watch. */
const ENDED_SECONDS = 60;
const NOT_OFFERED_SECONDS = 3_600;

interface Watch {
  version: number;
  end(): Promise<void>;
}

export interface Watching {
  stop(): Promise<void>;
}

export function startWatching(kit: Kit, wake: () => void): Watching {
  const worker = newId();
  const channels = kit.channels.all().flatMap(({ name, watchItems }) => (watchItems ? [name] : []));
  const watches = new Map<string, Watch>();
  const begin = (inbox: WatchedInbox): void => {
    const key = `${inbox.company} ${inbox._id}`;
    const ending = new AbortController();
    const watched = watchInbox(kit, { inbox, worker, wake, signal: ending.signal }).finally(() => {
      if (watches.get(key) === watch) watches.delete(key);
    });
    const watch: Watch = { version: inbox.version, end: () => (ending.abort(), watched) };
    watches.set(key, watch);
  };

  async function look(): Promise<void> {
    const system = kit.database.system('upkeep');
    const kept = watches.size > 0 ? await renewWatches(system, worker, LEASE_SECONDS) : [];
    const versions = new Map(kept.map(({ company, _id, version }) => [`${company} ${_id}`, version]));
    // A server that is slow to end its connection does not delay the renewals. The watch keeps its place until then.
    for (const [key, { version, end }] of watches) if (versions.get(key) !== version) void end();
    const room = { worker, channels, most: MOST - watches.size, perCompany: MOST_PER_COMPANY };
    if (room.most <= 0 || isStopping) return;
    for (const inbox of await claimWatches(system, { ...room, leaseSeconds: LEASE_SECONDS })) begin(inbox);
  }

  let isStopping = false;
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look).catch((error: unknown) => {
      // Failure policy: the next look follows in five seconds, and the inboxes are fetched without a watch as well.
      kit.log.warn({ err: error }, 'watching: the inboxes could not be claimed');
    });
  }, LOOK_MS);
  return {
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await looking;
      await Promise.all(watches.values().map(({ end }) => end()));
    },
  };
}

interface Watched {
  inbox: WatchedInbox;
  worker: string;
  wake(): void;
  signal: AbortSignal;
}

/** Watches one inbox until its connection ends. Never throws. */
async function watchInbox(kit: Kit, { inbox, worker, wake, signal }: Watched): Promise<void> {
  const system = kit.database.system('upkeep');
  const warn = (error: unknown): void =>
    // Failure policy: the inbox is fetched when it is due, and its lease ends by itself.
    kit.log.warn({ err: error, company: inbox.company, inbox: inbox._id }, 'watching: the database failed');
  const onNews = (): void => void noteNews(system, inbox).then((count) => count > 0 && wake(), warn);
  try {
    const { watchItems } = kit.channels.get(inbox.channel);
    const credentials = await networkCredentials(kit, kit.database.read(inbox.company), inbox._id);
    const ended = watchItems && credentials ? await watchItems(credentials.settings, onNews, signal) : null;
    if (ended?.outcome === 'stopped' && credentials) await haltInbox(kit, inbox.company, credentials, ended.error);
    const rest = ended?.outcome === 'not offered' ? NOT_OFFERED_SECONDS : ENDED_SECONDS;
    // Another process, or this one after its next start, may go on at once.
    await endWatch(system, worker, inbox, signal.aborted ? 0 : rest);
  } catch (error) {
    warn(error);
  }
}
