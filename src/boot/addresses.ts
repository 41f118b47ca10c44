/** Checks before a start makes anything whether its process will be able to listen where the settings say. Imports nothing that loads slowly. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';

/** The sandbox has no password, so it listens on this address only. */
export const SANDBOX_HOST = '127.0.0.1';

/** Returns the sandbox's port: its setting, or the port after the platform's own. 0 means any free port. */
export function chooseSandboxPort({ SANDBOX_PORT, PORT }: Config): number {
  return SANDBOX_PORT || (PORT > 0 && PORT < 65_535 ? PORT + 1 : 0);
}

/**
 * Throws one sentence that names each taken port, or the HOST that is no address of this machine. `refuseIfRunning` throws its own sentence
 * when the same installation runs already, which explains a taken port better.
 */
export async function checkAddresses(config: Config, hasSandbox: boolean, refuseIfRunning: () => void): Promise<void> {
  const { HOST, PORT } = config;
  const sandboxPort = hasSandbox ? chooseSandboxPort(config) : 0;
  const isTaken = await portIsTaken(HOST, PORT).catch((error: unknown) => {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!NO_SUCH_ADDRESS.has(code)) throw error;
    throw new Error(
      `HOST ${HOST} is no address of this machine (${code}); set HOST to 127.0.0.1, to 0.0.0.0 for all of its addresses, or to one of them`,
      { cause: error },
    );
  });
  const sandboxIsTaken = sandboxPort > 0 && (await portIsTaken(SANDBOX_HOST, sandboxPort));
  if (!isTaken && !sandboxIsTaken) return;
  refuseIfRunning();
  throw new Error(describeTakenPorts(config, { isTaken, sandboxPort: sandboxIsTaken ? sandboxPort : null }));
}

const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL', 'EAFNOSUPPORT']);

function describeTakenPorts(
  { HOST, PORT }: Config,
  { isTaken, sandboxPort }: { isTaken: boolean; sandboxPort: number | null },
): string {
  if (sandboxPort === null) return `port ${PORT} on ${HOST} is taken; set PORT to another one`;
  const sandbox = `port ${sandboxPort} on ${SANDBOX_HOST}, which the sandbox listens on,`;
  if (!isTaken) return `${sandbox} is taken; set SANDBOX_PORT to a free port, or SANDBOX=off`;
  return `port ${PORT} on ${HOST} and ${sandbox} are taken; set PORT to another one whose next port is free, too, or PORT and SANDBOX_PORT`;
}

/** Listens for a moment. Throws any error other than that the port is taken. */
async function portIsTaken(host: string, port: number): Promise<boolean> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    // Failure policy: a taken port is the answer; any other error is thrown.
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return true;
  }
  server.close();
  await once(server, 'close');
  return false;
}
