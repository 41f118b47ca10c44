/** How many connections a process keeps open: those beyond are closed before a byte of them is read. */
import type { Server } from 'node:http';
import { addressGroup } from './limits.ts';

export interface ConnectionLimits {
  total: number;
  /** Of them, from one address; null where everybody comes through a proxy. */
  perAddress: number | null;
}

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
