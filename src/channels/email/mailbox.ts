/** Connects to a mailbox by IMAP. It is opened for reading only. */
import type { Socket } from 'node:net';
import type { ImapFlow, ImapFlowOptions } from 'imapflow';
import type { NetworkAccess } from '../channel.ts';
import { readMailServer, type MailServer } from '../../platform/outside/mail-server.ts';
import type { EmailConfig } from './settings.ts';

export type Network = Pick<NetworkAccess, 'outbound'>;

/** The most bytes that are read of a mail. Providers take mails of 25 MB. */
export const MAX_MAIL_BYTES = 30 * 1024 * 1024;
/** The library's own time limits are longer than the caller's signal, which ends every call. */
const TIMEOUT_MS = 60_000;
/** About the most bytes that a server may send in one call. The size is compared this often. */
const MAX_CALL_BYTES = 64 * 1024 * 1024;
const COMPARED_MS = 100;

/** The log-in was refused. Another try is useless until somebody changes the settings. */
export class LogInRefused extends Error {}

/** How long a connection that waits for the server may be silent, and how long one command may wait. */
interface Patience {
  silentMs?: number;
  idleMs?: number;
}

interface Connecting extends Network {
  /** Absent for a connection that reads. */
  patience?: Patience;
}

const readPatience = ({ silentMs, idleMs }: Patience): Partial<ImapFlowOptions> => ({
  ...(silentMs !== undefined && { socketTimeout: silentMs }),
  ...(idleMs !== undefined && { maxIdleTime: idleMs }),
});

/** Opens the inbox for the work, and closes it afterwards. */
export async function withMailbox<T>(
  network: Connecting,
  config: EmailConfig,
  signal: AbortSignal,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  const { client, close } = await openMailbox(network, config, signal);
  const comparing = setInterval(() => {
    if (client.stats().received > MAX_CALL_BYTES) close();
  }, COMPARED_MS);
  try {
    return await work(client);
  } finally {
    clearInterval(comparing);
    close();
  }
}

interface OpenMailbox {
  client: ImapFlow;
  close(): void;
}

/** Opens a connection and the inbox. The caller closes both; they are also closed when the signal aborts. */
export async function openMailbox(
  { outbound, patience = {} }: Connecting,
  config: EmailConfig,
  signal: AbortSignal,
): Promise<OpenMailbox> {
  const server = readMailServer(config.imap_url ?? '');
  if (!server) throw new Error('the settings name no server');
  // The library begins TLS on this socket, which only connects to allowed addresses.
  const socket = await outbound.connect(server.host, server.port, { tls: false, signal });
  // The library is loaded with the first mailbox.
  const { ImapFlow: Client } = await import('imapflow');
  const client = new Client({ ...makeOptions(server, socket, config), ...readPatience(patience) });
  const close = (): void => {
    signal.removeEventListener('abort', close);
    client.close();
    socket.destroy();
  };
  signal.addEventListener('abort', close, { once: true });
  // Failure policy: an error of the connection also rejects the command that waits for it.
  client.on('error', () => undefined);
  try {
    await logIn(client);
    await client.mailboxOpen('INBOX', { readOnly: true });
    return { client, close };
  } catch (error) {
    close();
    throw error;
  }
}

const makeOptions = ({ host, port }: MailServer, socket: Socket, config: EmailConfig): ImapFlowOptions => ({
  host,
  port,
  secure: true,
  auth: { user: config.username, pass: config.password },
  tls: { socket, minVersion: 'TLSv1.2', rejectUnauthorized: true },
  disableAutoIdle: true,
  disableAutoEnable: true,
  connectionTimeout: TIMEOUT_MS,
  greetingTimeout: TIMEOUT_MS,
  socketTimeout: TIMEOUT_MS,
  maxLineLength: 1024 * 1024,
  maxLiteralSize: MAX_MAIL_BYTES,
  // The answer also has the names and numbers around the mail.
  maxResponseSize: MAX_MAIL_BYTES + 1024 * 1024,
  // What a few compressed bytes unpack to has no limit.
  disableCompression: true,
  logger: false,
});

async function logIn(client: ImapFlow): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    const { authenticationFailed } = error as { authenticationFailed?: boolean };
    if (authenticationFailed) throw new LogInRefused('The server refused the log-in.', { cause: error });
    throw error;
  }
}
