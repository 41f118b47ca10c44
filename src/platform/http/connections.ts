/** Limits the open connections of a process, and finds those that have not sent a request yet. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressGroup } from './limits.ts';
import { declareSettingLimit } from '../values/limits.ts';

declareSettingLimit('CONNECTIONS', { topic: 'Requests', what: 'Connections per process', beyond: 'closed' });
declareSettingLimit('CONNECTIONS_PER_ADDRESS', {
  topic: 'Requests',
  what: 'Connections per process: from one address, without `TRUSTED_PROXIES`',
  beyond: 'closed',
});

export interface ConnectionLimits {
  total: number;
  /** The most connections from one address; null when all callers connect through a proxy. */
  perAddress: number | null;
}

/** Makes the server close connections beyond the limits before it reads a byte of them. */
export function boundConnections(server: Server, { total, perAddress }: ConnectionLimits): void {
  server.maxConnections = total;
  if (perAddress === null) return;
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const group = addressGroup(socket.remoteAddress ?? '');
    const others = open.get(group) ?? 0;
    if (others >= perAddress) return void socket.destroy();
    open.set(group, others + 1);
    socket.once('close', () => {
      const left = (open.get(group) ?? 0) - 1;
      if (left > 0) open.set(group, left);
      else open.delete(group);
    });
  });
}

const LOOK_MS = 20;

/**
 * Returns a function that waits, at most `mostMs`, until every connection that is open now has sent its first request. Closing such a
 * connection earlier would cut off a request that is on its way.
 */
export function createNewcomerWait(server: Server): (mostMs: number) => Promise<void> {
  const newcomers = new Set<Socket>();
  server.on('connection', (socket) => {
    newcomers.add(socket);
    socket.once('close', () => newcomers.delete(socket));
  });
  server.on('request', ({ socket }) => newcomers.delete(socket));
  return async (mostMs) => {
    const awaited = [...newcomers];
    const untilMs = performance.now() + mostMs;
    while (awaited.some((socket) => newcomers.has(socket)) && performance.now() < untilMs) await sleep(LOOK_MS);
  };
}
