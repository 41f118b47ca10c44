/** Opens every TCP and TLS connection to other hosts, except those that libraries make to the operator's own database and mail server. */
import { connect as connectTcp, isIP, type BlockList, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Ends a connection attempt that no one waits for any more. While a caller waits, the caller's signal sets the time limit. */
const DIAL_MS = 10_000;

export type DialStage = 'TCP' | 'TLS';

export interface DialTarget {
  /** A name or an address; IPv6 without brackets. */
  host: string;
  port: number;
  /** Whether TLS begins at once, as it does with HTTPS. */
  tls: boolean;
  /** The protocols that are offered in the TLS handshake; none are offered by default, because many mail servers know none. */
  protocols?: string[];
}

/** What a connection to a server needs that a tenant chose: the addresses that are blocked, and what finds those of a name. */
export interface Guarded {
  blockList: BlockList;
  lookup: LookupFunction;
}

/**
 * Opens a connection and reports the socket or the error once. TCP and TLS are two steps because tls.connect() ignores `blockList`: only
 * net.connect() compares the resolved addresses with it and skips those that are blocked. Returns a function that gives the attempt up.
 */
export function dial(
  { host, port, tls, protocols }: DialTarget,
  guarded: Guarded | undefined,
  report: (result: Socket | Error, stage: DialStage) => void,
): () => void {
  let stage: DialStage = 'TCP';
  let settled = false;
  const settle = (result: Socket | Error) => {
    // Failure policy: errors after the result was reported are handled by whoever uses the socket. This listener stays, so that none of
    // them is unhandled.
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    report(result, stage);
  };
  let socket = connectTcp({ host, port, noDelay: true, keepAlive: true, ...guarded });
  const abandon = () => {
    if (!settled) socket.destroy(new Error('the dial was abandoned'));
  };
  const timer = setTimeout(abandon, DIAL_MS);
  const onClose = () => settle(new Error('the connection closed before it was established'));
  socket.on('error', settle).once('close', onClose);
  socket.once('connect', () => {
    if (!tls) return settle(socket);
    stage = 'TLS';
    socket = connectTls({
      socket,
      host,
      rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
      ...(protocols && { ALPNProtocols: protocols }),
      ...(isIP(host) === 0 && { servername: host }),
    });
    socket.on('error', settle).once('close', onClose);
    socket.once('secureConnect', () => settle(socket));
  });
  return abandon;
}
