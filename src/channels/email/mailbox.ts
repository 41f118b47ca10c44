/** Opens a mailbox by IMAP, for reading only. Runs in a child process, on a connection that its parent has opened. */
import type { Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { ImapFlow, type ImapFlowOptions } from 'imapflow';
import { readMailServer, type MailServer } from '../../platform/outside/mail-server.ts';
import { MAX_MAIL_BYTES } from './limits.ts';
import type { EmailConfig } from './settings.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export interface MailboxConfig extends Pick<EmailConfig, 'username' | 'password'> {
  imap_url: string;
}

/** The connection to a mailbox, and how much its server may say. */
export interface MailboxLine {
  socket: Socket;
  config: MailboxConfig;
  /** The certificates, in PEM form, that are trusted beside those of public authorities. */
  certificates: readonly string[];
  /** Ends the work: it fails then. */
  signal: AbortSignal;
}

/** The library's own time limits are longer than the parent's, which ends every call. */
const TIMEOUT_MS = 60_000;
const KB = 1024;
const MEASURED_MS = 100;

/** How much a server may say: at once, and from then on in each second. `line` and `literal` are the largest pieces of an answer. */
export interface Allowance {
  bytes: number;
  perSecond: number;
  line: number;
  literal: number;
}

/** For the mails of one call. */
const READING: Allowance = {
  bytes: declareLimit(64 * KB * KB, {
    topic: 'E-mail',
    what: 'IMAP server: answers in one reading',
    unit: 'bytes',
    beyond: 'the inbox becomes ERROR',
  }),
  perSecond: 0,
  line: declareLimit(KB * KB, {
    topic: 'E-mail',
    what: 'IMAP server: one line',
    unit: 'bytes',
    beyond: 'the reading fails',
  }),
  literal: MAX_MAIL_BYTES,
};

/** The log-in was refused. Another try is useless until somebody changes the settings. */
export class LogInRefused extends Error {}

/** The server says far more than a mailbox has to say. */
export class ServerExcess extends Error {}

/** What differs on a connection that waits for the server. */
export interface Patience {
  /** How long it may be silent, and how long one command may wait. */
  silentMs: number;
  idleMs: number;
  allowance: Allowance;
}

/** Opens the inbox for the work, and closes it afterwards. */
export async function withMailbox<T>(
  line: MailboxLine,
  work: (client: ImapFlow) => Promise<T>,
  patience?: Patience,
): Promise<T> {
  const server = readMailServer(line.config.imap_url);
  if (!server) throw new Error('the settings name no server');
  const client = new ImapFlow(makeOptions(server, line, patience));
  const close = (): void => {
    client.close();
    line.socket.destroy();
  };
  let isExcess = false;
  const unmeasure = measure(client, patience?.allowance ?? READING, () => {
    isExcess = true;
    close();
  });
  line.signal.addEventListener('abort', close, { once: true });
  if (line.signal.aborted) close();
  // Failure policy: an error of the connection also rejects the command that waits for it.
  client.on('error', () => undefined);
  try {
    await logIn(client);
    await client.mailboxOpen('INBOX', { readOnly: true });
    const result = await work(client);
    // Some commands of the library end like finished ones when the connection is closed.
    if (isExcess) throw new ServerExcess();
    return result;
  } catch (error) {
    throw isExcess ? new ServerExcess() : error;
  } finally {
    unmeasure();
    line.signal.removeEventListener('abort', close);
    close();
  }
}

/** Calls `onExcess` when the server says more than it is allowed to. Returns what ends that. */
function measure(client: ImapFlow, { bytes, perSecond }: Allowance, onExcess: () => void): () => void {
  let left = bytes;
  let counted = 0;
  const timer = setInterval(() => {
    const { received } = client.stats();
    left = Math.min(bytes, left + (perSecond * MEASURED_MS) / 1_000) - (received - counted);
    counted = received;
    if (left < 0) onExcess();
  }, MEASURED_MS);
  return () => clearInterval(timer);
}

const makeOptions = (
  { host, port }: MailServer,
  { socket, config, certificates }: MailboxLine,
  patience: Patience | undefined,
): ImapFlowOptions => {
  const { line, literal } = patience?.allowance ?? READING;
  return {
    host,
    port,
    secure: true,
    auth: { user: config.username, pass: config.password },
    tls: {
      socket,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(certificates.length > 0 && { ca: [...rootCertificates, ...certificates] }),
    },
    disableAutoIdle: true,
    disableAutoEnable: true,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: patience?.silentMs ?? TIMEOUT_MS,
    ...(patience && { maxIdleTime: patience.idleMs }),
    maxLineLength: line,
    maxLiteralSize: literal,
    // The answer also has the names and numbers around the mail.
    maxResponseSize: literal + line,
    // What a few compressed bytes unpack to has no limit.
    disableCompression: true,
    logger: false,
  };
};

async function logIn(client: ImapFlow): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    const { authenticationFailed } = error as { authenticationFailed?: boolean };
    if (authenticationFailed) throw new LogInRefused('The server rejected the log-in.', { cause: error });
    throw error;
  }
}
