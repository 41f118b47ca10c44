/**
 * Carries changes between the processes of one database by NOTIFY, in statements of their own: inside a transaction that writes, NOTIFY
 * would make the commits of all transactions wait for each other. LISTEN needs a connection of its own and begins with the first follower.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { exec, newClient } from '../db.ts';
import { newId } from '../ids.ts';
import type { Log } from '../telemetry.ts';
import type { SystemTx } from '../tenant.ts';
import type { Change, Follower } from './change.ts';

const CHANNEL = 'parley_changes';
// PostgreSQL refuses a payload of 8,000 bytes.
const PAYLOAD_BYTES = 7_900;
// While the database is slow, changes beyond this number are counted as lost instead of being kept.
const MAX_WAITING = 1_000;
const RECONNECT_MS = 1_000;
// A connection that was cut without a word would look like one on which nothing happens, so it is asked from time to time.
const PROBE_MS = 5_000;

export interface Neighbours {
  /** Announces changes to the other processes; never throws. */
  notify(changes: Change[]): void;
  /** Begins to listen to the other processes, unless it has begun already. */
  listen(): void;
  /** Waits until what was announced is sent. */
  close(): Promise<void>;
}

interface Parts {
  url: string;
  system: SystemTx;
  log: Log;
}

interface Payload {
  /** The process that sent it, which ignores its own. */
  from: string;
  /** Changes before these were lost. */
  lost: boolean;
  changes: Change[];
}

export function openNeighbours(parts: Parts, feed: Pick<Follower, 'changed' | 'missed'>): Neighbours {
  const own = newId();
  const sender = createSender(parts, own);
  const stopping = new AbortController();
  let listening: Promise<void> | null = null;
  return {
    notify: sender.send,
    listen: () => void (listening ??= listen(parts, own, feed, stopping.signal)),
    close: async () => {
      await sender.rest();
      stopping.abort();
      await listening;
    },
  };
}

function createSender({ system, log }: Parts, from: string) {
  const waiting: Change[] = [];
  let lost = false;
  let sending: Promise<void> | null = null;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const payloads = pack(waiting.splice(0), { from, lost });
      try {
        await exec(system, {
          name: 'changes.notify',
          text: 'select pg_notify($1, payload) from unnest($2::text[]) payload',
          values: [CHANNEL, payloads],
        });
        lost = false;
      } catch (error) {
        // Failure policy: the changes are committed, and only their announcement is lost; the next one says so.
        lost = true;
        log.warn({ err: error }, 'changes: the other processes could not be notified');
      }
    }
  }

  return {
    send: (changes: Change[]): void => {
      if (waiting.length + changes.length > MAX_WAITING) lost = true;
      else waiting.push(...changes);
      sending ??= sendAll().finally(() => (sending = null));
    },
    rest: async (): Promise<void> => void (await sending),
  };
}

/** Distributes changes over as few payloads as possible; a change is at most 100 ids, so it always fits. */
function pack(changes: Change[], { from, lost }: Pick<Payload, 'from' | 'lost'>): string[] {
  const payloads: string[] = [];
  const frame = JSON.stringify({ from, lost: false, changes: [] }).length;
  let part: Change[] = [];
  let bytes = frame;
  const close = (): void => {
    const payload: Payload = { from, lost: lost && payloads.length === 0, changes: part };
    payloads.push(JSON.stringify(payload));
  };
  for (const change of changes) {
    const size = JSON.stringify(change).length + 1;
    if (part.length > 0 && bytes + size > PAYLOAD_BYTES) {
      close();
      part = [];
      bytes = frame;
    }
    part.push(change);
    bytes += size;
  }
  close();
  return payloads;
}

/** Listens until the signal; connects anew whenever the connection breaks. Never throws. */
async function listen(
  { url, log }: Parts,
  own: string,
  feed: Pick<Follower, 'changed' | 'missed'>,
  signal: AbortSignal,
): Promise<void> {
  const hear = ({ payload = '' }: pg.Notification): void => {
    try {
      const { from, lost, changes } = JSON.parse(payload) as Payload;
      if (from === own) return;
      if (lost) feed.missed();
      feed.changed(changes);
    } catch (error) {
      // Failure policy: a process of another release may write in another form; then followers compare with the store.
      log.warn({ err: error }, 'changes: a notice could not be read');
      feed.missed();
    }
  };
  while (!signal.aborted) {
    const client = newClient({ connectionString: url, query_timeout: PROBE_MS, connectionTimeoutMillis: PROBE_MS });
    const broken = new AbortController();
    client.on('notification', hear);
    client.on('end', () => broken.abort());
    const either = AbortSignal.any([signal, broken.signal]);
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      // What was announced before this moment has not been heard.
      feed.missed();
      while (!signal.aborted) {
        await pause(PROBE_MS, either);
        await client.query('select 1');
      }
    } catch (error) {
      // Failure policy: followers are told of the gap as soon as a new connection listens.
      log.warn({ err: error }, 'changes: the connection that listens broke');
      await pause(RECONNECT_MS, signal);
    }
    // Failure policy: a connection that can not say goodbye is broken already.
    await client.end().catch(() => undefined);
  }
}

/** Waits for the time or the signal, whichever comes first. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Failure policy: an aborted wait ends early, and the caller looks at the signal.
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
