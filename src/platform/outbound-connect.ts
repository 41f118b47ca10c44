/** Opens connections to servers that tenants chose, for protocols other than HTTP, such as SMTP and IMAP. */
import type { Socket } from 'node:net';
import { examineServer, type AddressGuard } from './address-guard.ts';
import { dial } from './dial.ts';
import { explainDialError, OutboundError } from './outbound-error.ts';

interface ConnectOptions {
  /** Whether TLS begins at once. For STARTTLS the protocol's library upgrades the socket itself. */
  tls: boolean;
  /** Limits the name look-up, the connection and the TLS handshake together. */
  signal: AbortSignal;
}

export interface Connector {
  /**
   * Connects to a server that a tenant chose; the socket connects only to allowed addresses, and certificates are checked. The socket is
   * the caller's, who handles its errors and closes it. Throws an OutboundError.
   */
  connect(host: string, port: number, options: ConnectOptions): Promise<Socket>;
  /** Ends every connection at once, and refuses new ones. */
  close(): void;
}

export function createConnector(guard: AddressGuard, trusted: readonly URL[]): Connector {
  const open = new Set<Socket>();
  const closing = new AbortController();
  return {
    async connect(host, port, { tls, signal }) {
      const server = examineServer(host, port, { guard, trusted });
      if (server.wrong !== null) throw new OutboundError('BLOCKED', false, server.wrong);
      const ends = AbortSignal.any([signal, closing.signal]);
      const socket = await new Promise<Socket>((resolve, reject) => {
        if (ends.aborted) return reject(makeTimeoutError(ends));
        const abandon = dial({ host: server.host, port, tls }, guard.blockList, (result, stage) => {
          ends.removeEventListener('abort', abandon);
          if (!(result instanceof Error)) return resolve(result);
          reject(ends.aborted ? makeTimeoutError(ends) : explainDialError(result, stage, false));
        });
        ends.addEventListener('abort', abandon);
      });
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return socket;
    },
    close() {
      closing.abort(new Error('the platform stops'));
      for (const socket of open) socket.destroy();
    },
  };
}

const makeTimeoutError = ({ reason }: AbortSignal): OutboundError =>
  new OutboundError('TIMEOUT', false, 'The server did not answer in time.', reason);
