/** A proxy between the platform and PostgreSQL that counts how often a transaction waits for the database. */
import { connect, createServer, type AddressInfo } from 'node:net';
import { readDatabaseSocket } from '../test/support/database.ts';

export interface CountingProxy {
  /** The address of the same database through this proxy. */
  url: string;
  /** The number of transactions that stored messages since the last call of read(), and the sum of their round trips. */
  read(): { flushes: number; trips: number };
  close(): Promise<void>;
}

// The bytes by which the proxy recognises the begin of a transaction, a statement that stores messages, and the commit.
const BEGIN = Buffer.from('begin\0');
const STORES = Buffer.from('messages.insertInbound');
const COMMIT = Buffer.from('commit\0');

export async function openCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const target = readDatabaseSocket(databaseUrl);
  let flushes = 0;
  let trips = 0;
  const server = createServer((client) => {
    const upstream = connect(target);
    const transaction = { trips: 0, stores: false, isAsking: false };
    client.on('data', (piece: Buffer) => {
      if (piece.includes(BEGIN)) Object.assign(transaction, { trips: 0, stores: false, isAsking: false });
      // All data that is sent before the answer begins counts as one round trip.
      if (!transaction.isAsking) transaction.trips += 1;
      transaction.isAsking = true;
      transaction.stores ||= piece.includes(STORES);
      if (transaction.stores && piece.includes(COMMIT)) {
        flushes += 1;
        trips += transaction.trips;
      }
    });
    upstream.on('data', () => (transaction.isAsking = false));
    client.pipe(upstream).pipe(client);
    const end = (): void => void [client.destroy(), upstream.destroy()];
    for (const socket of [client, upstream]) socket.setNoDelay(true).on('error', end).on('close', end);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    read: () => {
      const counted = { flushes, trips };
      flushes = 0;
      trips = 0;
      return counted;
    },
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
