/**
 * The hosts of DATABASE_URL. With several of them, as in `postgres://user@h1:5432,h2:5432/parley`, connections go to the host that accepts
 * changes, and leave it when it no longer does, as after a failover.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { splitHosts } from '../values/host-list.ts';

export interface DatabaseHosts {
  /** Resolves with the URL of the host that accepts changes. Throws after `withinMs`. A single host is not asked. */
  choose(withinMs: number): Promise<string>;
  /** Closes this connection when its host is left. */
  follow(client: pg.ClientBase, url: string): void;
  /** Asks the chosen host whether it still accepts changes, because a connection failed, and leaves it if it does not. Never throws. */
  suspect(): void;
}

// A host that has not answered after this time is treated as away.
const ASK_MS = 2_000;
// The pause between two rounds of questions while no host accepts changes.
const ROUND_MS = 200;

// All pools of a process share what it knows about the hosts.
const known = new Map<string, DatabaseHosts>();

export function findHosts(url: string): DatabaseHosts {
  const hosts = known.get(url) ?? createHosts(splitHosts(url));
  known.set(url, hosts);
  return hosts;
}

function createHosts(urls: string[]): DatabaseHosts {
  const [only = ''] = urls;
  let current = urls.length === 1 ? only : null;
  let asking: Promise<void> | null = null;
  const clients = new Map<pg.ClientBase, string>();

  const ask = async (): Promise<void> => {
    // Failure policy: while no host accepts changes, `current` stays null, and the callers ask again.
    current = await Promise.any(urls.map(expectWritable)).catch(() => null);
  };
  const check = async (url: string): Promise<void> => {
    // Failure policy: a host that does not answer is left; one that refuses only this connection, because it has too many, is not.
    if (!(await isReadOnly(url).catch((error: unknown) => !isAnswer(error)))) return;
    current = null;
    for (const [client, at] of clients) if (at === url) closeAbruptly(client);
  };
  return {
    choose: async (withinMs) => {
      const deadlineMs = performance.now() + withinMs;
      for (;;) {
        if (current !== null) return current;
        await (asking ??= ask().finally(() => (asking = null)));
        if (current !== null) return current;
        if (performance.now() >= deadlineMs)
          throw new Error('timeout exceeded when trying to connect: no host of DATABASE_URL accepts changes');
        await sleep(ROUND_MS);
      }
    },
    follow: (client, url) => {
      if (urls.length === 1) return;
      clients.set(client, url);
      client.once('end', () => clients.delete(client));
    },
    suspect: () => {
      if (urls.length > 1 && current !== null) asking ??= check(current).finally(() => (asking = null));
    },
  };
}

/** Returns true for an error that a running server has sent. With the codes 57P… it stops or starts. */
const isAnswer = (error: unknown): boolean =>
  /^(?=.*\d)(?!57P)[0-9A-Z]{5}$/.test(String((error as { code?: unknown } | null)?.code));

/** Closes the connection without a word to the server. Statements on it fail. */
export const closeAbruptly = (client: pg.ClientBase): void =>
  void (client as pg.ClientBase & Pick<pg.Client, 'connection'>).connection.stream.destroy();

async function expectWritable(url: string): Promise<string> {
  if (await isReadOnly(url)) throw new Error('the host is read-only');
  return url;
}

/** Returns whether the host is a standby, or refuses changes for another reason. Throws when it cannot be asked. */
export async function isReadOnly(connectionString: string): Promise<boolean> {
  const [row] = await askQuickly<{ refuses: boolean }>(
    { connectionString },
    `select pg_is_in_recovery() or current_setting('transaction_read_only')::bool as refuses`,
  );
  return row?.refuses !== false;
}

/** Runs one statement on a connection of its own. Throws when there is no answer within two seconds. */
export async function askQuickly<R>(address: pg.ClientConfig, text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS });
  // Failure policy: a connection that breaks fails the statement, too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(text, values)).rows as R[];
  } finally {
    // Failure policy: a connection that cannot be closed in order is broken already.
    await client.end().catch(() => undefined);
  }
}

/** Returns a class of connections that connect to the host that accepts changes. */
export function connectToHosts(hosts: DatabaseHosts, withinMs: number): typeof pg.Client {
  return class extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connecting = this.#connect();
      if (!callback) return connecting;
      void callBack(connecting, callback);
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      const url = await hosts.choose(withinMs);
      // The pool has given up waiting.
      if (this.connection.stream.destroyed) throw new Error('timeout exceeded when trying to connect');
      const { host, port } = new pg.Client({ connectionString: url });
      Object.assign(this, { host, port });
      hosts.follow(this, url);
      this.on('error', hosts.suspect);
      try {
        return await super.connect();
      } catch (error) {
        hosts.suspect();
        throw error;
      }
    }
  };
}

async function callBack(work: Promise<unknown>, callback: (error: Error) => void): Promise<void> {
  const [result] = await Promise.allSettled([work]);
  callback(result.status === 'rejected' ? (result.reason as Error) : (null as never));
}
