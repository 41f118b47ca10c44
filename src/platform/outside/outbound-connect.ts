/** Opens connections to servers that tenants chose, for protocols other than HTTP, such as SMTP and IMAP. */
import type { Socket } from 'node:net';
import { examineServer, type AddressGuard } from './address-guard.ts';
import { dial } from './dial.ts';
import type { MailServer } from './mail-server.ts';
import type { Names } from './names.ts';
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

type Server = Pick<MailServer, 'host' | 'port'>;

export const isListed = (servers: readonly Server[], { host, port }: Server): boolean =>
  servers.some((each) => each.host === host && each.port === port);

/** `open`: servers that skip the guard. */
export function createConnector(
  guard: AddressGuard,
  { lookUp }: Pick<Names, 'lookUp'>,
  trusted: readonly URL[],
  open: readonly Server[] = [],
): Connector {
  const guarded = { blockList: guard.blockList, lookup: lookUp };
  const sockets = new Set<Socket>();
  const closing = new AbortController();
  return {
    async connect(host, port, { tls, signal }) {
      const isOpen = isListed(open, { host, port });
      const server = isOpen ? { host, wrong: null } : examineServer(host, port, { guard, trusted });
      if (server.wrong !== null) throw new OutboundError('BLOCKED', false, server.wrong);
      const ends = AbortSignal.any([signal, closing.signal]);
      const socket = await new Promise<Socket>((resolve, reject) => {
        if (ends.aborted) return reject(makeTimeoutError(ends));
        const abandon = dial({ host: server.host, port, tls }, isOpen ? undefined : guarded, (result, stage) => {
          ends.removeEventListener('abort', abandon);
          if (!(result instanceof Error)) return resolve(result);
          reject(ends.aborted ? makeTimeoutError(ends) : explainDialError(result, stage, false));
        });
        ends.addEventListener('abort', abandon);
      });
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    close() {
      closing.abort(new Error('the platform stops'));
      for (const socket of sockets) socket.destroy();
    },
  };
}

const makeTimeoutError = ({ reason }: AbortSignal): OutboundError =>
  new OutboundError('TIMEOUT', false, 'The server did not respond in time.', reason);
