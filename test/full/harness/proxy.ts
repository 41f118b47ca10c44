/** A TCP proxy with a fixed address, for a database whose own address changes with each start. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  port: number;
  /** Forwards connections to this port; null cuts the open ones and refuses new ones. */
  aim(port: number | null): void;
  /** While `frozen`, all data is held back without an error, like in a network that loses packets. */
  freeze(frozen: boolean): void;
  close(): Promise<void>;
}

export async function startProxy(): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let target: number | null = null;
  let frozen = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // Failure policy: when one side of a connection breaks, the proxy closes the other side, too.
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer({ noDelay: true }, (client) => {
    keep(client);
    if (target === null) return void client.destroy();
    const upstream = keep(connect({ port: target, host: '127.0.0.1', noDelay: true }));
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    if (frozen) for (const socket of [client, upstream]) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    aim: (port) => {
      target = port;
      if (port === null) for (const socket of sockets) socket.destroy();
    },
    freeze: (now) => {
      frozen = now;
      for (const socket of sockets) {
        if (now) socket.pause();
        else socket.resume();
      }
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
