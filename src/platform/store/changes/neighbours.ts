/**
 * Carries changes between the processes of one database by NOTIFY, in statements of their own: inside a transaction that writes, NOTIFY
 * would make the commits of all transactions wait for each other. LISTEN needs a connection of its own and begins with the first follower.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { exec, newClient } from '../db.ts';
import { findHosts } from '../hosts.ts';
import { newId } from '../../values/ids.ts';
import type { Log } from '../../work/telemetry.ts';
import type { SystemTx } from '../tenant.ts';
import type { Signal } from './change.ts';

const CHANNEL = 'parley_changes';
// PostgreSQL refuses a payload of 8,000 bytes. When more companies than this have changed, all are announced.
const MAX_COMPANIES = 250;
// Signals beyond this number at once are dropped.
const MAX_SIGNALS = 20;
const RECONNECT_MS = 1_000;
// A broken connection can look like an idle one, so a query is sent from time to time to detect it.
const PROBE_MS = 5_000;

/** Receives what other processes announce. */
export interface Announced {
  changed(companies: Iterable<string>): void;
  /** Changes of any company may have been missed. */
  missed(): void;
  signalled(signal: Signal): void;
}

export interface OtherProcesses {
  /** Announces changes to the other processes; never throws. */
  notify(companies: Iterable<string>): void;
  /** Sends a signal to the other processes; never throws. */
  signal(signal: Signal): void;
  /** Begins to listen to the other processes, unless it has begun already. */
  listen(): void;
  /** Waits until all announced changes are sent. */
  close(): Promise<void>;
}

interface NotifyParts {
  url: string;
  system: SystemTx;
  log: Log;
}

interface NotifyPayload {
  /** The process that sent the notice; each process ignores its own notices. */
  from: string;
  /** The companies whose records have changed; without it, those of any company may have. */
  companies?: string[];
  /** A signal that travels alone. */
  signal?: Signal;
}

export function connectOtherProcesses(parts: NotifyParts, feed: Announced): OtherProcesses {
  const own = newId();
  const sender = createNotifySender(parts, own);
  const stopping = new AbortController();
  let listening: Promise<void> | null = null;
  return {
    notify: sender.send,
    signal: sender.signal,
    listen: () => void (listening ??= listenForNotifications(parts, own, feed, stopping.signal)),
    close: async () => {
      await sender.rest();
      stopping.abort();
      await listening;
    },
  };
}

function createNotifySender({ system, log }: NotifyParts, from: string) {
  const waiting = new Set<string>();
  const signals = new Set<Promise<void>>();
  let lost = false;
  let sending: Promise<void> | null = null;

  const notify = (payload: Omit<NotifyPayload, 'from'>): Promise<number> =>
    exec(system, {
      name: 'changes.notify',
      text: 'select pg_notify($1, $2)',
      values: [CHANNEL, JSON.stringify({ from, ...payload })],
    });

  async function sendAll(): Promise<void> {
    while (waiting.size > 0) {
      const payload = lost ? {} : { companies: [...waiting] };
      waiting.clear();
      lost = false;
      try {
        await notify(payload);
      } catch (error) {
        // Failure policy: the changes are committed, and only their announcement is lost; the next one says so.
        lost = true;
        log.warn({ err: error }, 'changes: the other processes could not be notified');
      }
    }
  }

  async function sendSignal(signal: Signal): Promise<void> {
    try {
      await notify({ signal });
    } catch (error) {
      // Failure policy: a signal may be lost.
      log.warn({ err: error }, 'changes: a signal could not be sent');
    }
  }

  return {
    send: (companies: Iterable<string>): void => {
      for (const company of companies)
        if (waiting.size < MAX_COMPANIES) waiting.add(company);
        else lost = true;
      sending ??= sendAll().finally(() => (sending = null));
    },
    signal: (signal: Signal): void => {
      if (signals.size >= MAX_SIGNALS) return;
      const sent = sendSignal(signal).finally(() => signals.delete(sent));
      signals.add(sent);
    },
    rest: async (): Promise<void> => {
      await Promise.all([sending, ...signals]);
    },
  };
}

/** Listens until the signal; connects anew whenever the connection breaks. Never throws. */
async function listenForNotifications(
  { url, log }: NotifyParts,
  own: string,
  feed: Announced,
  signal: AbortSignal,
): Promise<void> {
  const hear = ({ payload = '' }: pg.Notification): void => {
    try {
      const { from, companies, signal: signalled } = JSON.parse(payload) as NotifyPayload;
      if (from === own) return;
      if (signalled) feed.signalled(signalled);
      else if (companies) feed.changed(companies);
      else feed.missed();
    } catch (error) {
      // Failure policy: a process of another release may use another format; then all followers look.
      log.warn({ err: error }, 'changes: a notice could not be read');
      feed.missed();
    }
  };
  const hosts = findHosts(url);
  while (!signal.aborted) {
    const broken = new AbortController();
    const either = AbortSignal.any([signal, broken.signal]);
    let client: pg.Client | null = null;
    try {
      const connectionString = await hosts.choose(PROBE_MS);
      client = newClient({ connectionString, query_timeout: PROBE_MS, connectionTimeoutMillis: PROBE_MS });
      client.on('notification', hear);
      client.on('end', () => broken.abort());
      hosts.follow(client, connectionString);
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      // Changes that were announced before this moment were not received.
      feed.missed();
      while (!signal.aborted) {
        await pauseUntilAborted(PROBE_MS, either);
        await client.query('select 1');
      }
    } catch (error) {
      // Failure policy: followers learn that changes may be missing as soon as a new connection listens.
      log.warn({ err: error }, 'changes: the connection that listens broke');
      hosts.suspect();
      await pauseUntilAborted(RECONNECT_MS, signal);
    }
    // Failure policy: a connection that cannot be closed in order is broken already.
    await client?.end().catch(() => undefined);
  }
}

/** Waits for the time or the signal, whichever comes first. */
async function pauseUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  // Failure policy: an aborted wait ends early, and the caller checks the signal.
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
