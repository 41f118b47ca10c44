import { createServer } from 'node:net';

// These ports are below those that a system uses for outgoing connections: a process that is down for a second must find its port free when
// it restarts.
const PORTS = { first: 20_000, count: 12_000 };
// The distance between the first ports of two programs with consecutive process ids. A program uses no port twice, so that processes which
// start at the same moment do not collide.
const PORTS_APART = 97;
let lastPort = process.pid * PORTS_APART;

/** Finds a port of this machine on which no server listens now. */
export async function findPort(): Promise<number> {
  for (;;) {
    lastPort += 1;
    const port = PORTS.first + (lastPort % PORTS.count);
    const probe = createServer();
    // Failure policy: a port that is in use is skipped.
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    probe.close();
    if (free) return port;
  }
}
