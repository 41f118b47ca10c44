/** How many connections a process keeps open, and which of them have asked for nothing yet. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressGroup } from './limits.ts';

export interface ConnectionLimits {
  total: number;
  /** Of them, from one address; null where everybody comes through a proxy. */
  perAddress: number | null;
}

/** Those beyond the limits are closed before a byte of them is read. */
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
 * Returns a way to wait, `mostMs` at most, until every connection that is open now has brought its first request. Whoever closes it before
 * cuts a request that is on its way.
 */
export function followNewcomers(server: Server): (mostMs: number) => Promise<void> {
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
