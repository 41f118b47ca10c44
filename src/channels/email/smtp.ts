/** Sends mails by SMTP, one connection for each: a provider closes idle ones, and counts open ones. */
import { Readable } from 'node:stream';
import type { Socket } from 'node:net';
import type { SendMailOptions, SMTPTransportOptions } from 'nodemailer';
import type { NetworkAccess, NetworkError, OutboundMessage, SendResult } from '../channel.ts';
import type { CheckResult } from '../check.ts';
import type { OutboundFile } from '../media.ts';
import { boundSocket } from '../../platform/outside/bounded-socket.ts';
import { watchMailEnd } from '../../platform/outside/mail.ts';
import { readMailServer, type MailServer } from '../../platform/outside/mail-server.ts';
import { OutboundError } from '../../platform/outside/outbound-error.ts';
import { composeMail, findRecipients } from './compose.ts';
import { openSigner } from './dkim.ts';
import { makeMessageId, readAlias } from './message-id.ts';
import type { EmailConfig } from './settings.ts';
import { declareLimit } from '../../platform/values/limits.ts';

type Network = Pick<NetworkAccess, 'outbound'>;

/** The longest words of a server that are stored. */
const MAX_WORDS = 500;
/** The most that a server may say while it takes a mail, with what TLS needs. Usual servers say less than 10 kB. */
const MAX_SAID_BYTES = declareLimit(96 * 1024, {
  topic: 'E-mail',
  what: 'SMTP server: answers while it accepts an e-mail',
  unit: 'bytes',
  beyond: 'FAILED, or QUEUED if it may have been accepted',
});
/** The library's own time limits are longer than the caller's signal, which ends every call. */
const TIMEOUT_MS = 60_000;

export async function sendMail(
  network: Network,
  message: OutboundMessage,
  config: EmailConfig,
  signal: AbortSignal,
): Promise<SendResult> {
  const recipients = findRecipients(message);
  if (recipients.length === 0) return makeRefusal('PROVIDER_REJECTED', 'The recipient has no e-mail address.');
  // The file is opened when the mail is written: nothing would notice that an open one fails while the server is still asked.
  const stream = message.file && Readable.from(readFile(message.file), { objectMode: false });
  let isWhole = false;
  try {
    return await withConnection(network, config, signal, async (send) => {
      const { response } = await send(composeMail(message, { recipients, stream, config }), () => (isWhole = true));
      const externalId = makeMessageId(message.messageId, config.address);
      const alias = readAlias(response, externalId);
      return { outcome: 'accepted', externalId, person: message.to, ...(alias !== undefined && { alias }) };
    });
  } catch (error) {
    // Failure policy: a server accepts a mail only after its end, so before that the mail was certainly not sent.
    const answer = error as ServerError;
    if (isWhole && answer.responseCode === undefined) return { outcome: 'unknown' };
    return { outcome: 'rejected', ...describeError(answer) };
  } finally {
    stream?.destroy();
  }
}

async function* readFile(file: OutboundFile): AsyncGenerator<Buffer> {
  yield* await file.open();
}

/** Checks that the server accepts the log-in, without sending anything. */
export async function checkSmtp(network: Network, config: EmailConfig, signal: AbortSignal): Promise<CheckResult> {
  try {
    return await withConnection(network, config, signal, async (_send, verify) => {
      await verify();
      return { ok: true, coexistence: null };
    });
  } catch (error) {
    // Failure policy: the error is the verdict.
    const { error: described, network: isAnswer } = describeError(error as ServerError);
    const isFinal = (error as ServerError).code === 'EAUTH' || isBlocked(error);
    const words = isAnswer ? `${described.title}: ${described.message}` : described.message;
    return { ok: false, error: `The SMTP server: ${words}`, retry: !isFinal };
  }
}

const isBlocked = (error: unknown): boolean => error instanceof OutboundError && error.kind === 'BLOCKED';

type Send = (mail: SendMailOptions, onWhole: () => void) => Promise<{ response: string }>;

/** Opens a connection for the work, and closes it afterwards or when the signal aborts. */
async function withConnection<T>(
  { outbound }: Network,
  config: EmailConfig,
  signal: AbortSignal,
  work: (send: Send, verify: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const server = readMailServer(config.smtp_url);
  if (!server) throw new Error('the settings name no server');
  const opened = await outbound.connect(server.host, server.port, { tls: server.tls, signal });
  const socket = boundSocket(opened, MAX_SAID_BYTES);
  const end = (): void => void socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  try {
    // The library is loaded with the first mail.
    const [{ createTransport }, sign] = await Promise.all([import('nodemailer'), openSigner(config)]);
    const transport = createTransport(makeOptions(server, socket, config));
    let onWhole = (): void => undefined;
    watchMailEnd(transport, () => onWhole(), sign ?? undefined);
    const send: Send = (mail, whole) => {
      onWhole = whole;
      return transport.sendMail(mail);
    };
    return await work(send, () => transport.verify());
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function makeOptions({ host, port, tls }: MailServer, connection: Socket, config: EmailConfig): SMTPTransportOptions {
  const hasOwn = config.smtp_username && config.smtp_password;
  return {
    host,
    port,
    secure: tls,
    requireTLS: !tls,
    getSocket: (_options, done) => done(null, { connection, secured: tls }),
    auth: hasOwn
      ? { user: config.smtp_username ?? '', pass: config.smtp_password ?? '' }
      : { user: config.username, pass: config.password },
    // A server that offers no log-in is not one that sends for this mailbox.
    forceAuth: true,
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true },
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    logger: false,
    debug: false,
  };
}

/** An error of the library: `response` and `responseCode` are what the server answered. */
type ServerError = Error & { code?: string; response?: string; responseCode?: number };

interface Refusal {
  error: NetworkError;
  network: boolean;
}

function describeError(failure: ServerError): Refusal {
  const { code, response, responseCode, message } = failure;
  if (responseCode === undefined || response === undefined)
    return makeRefusal('PROVIDER_UNREACHABLE', failure instanceof OutboundError ? message : explainBreak(failure));
  const words = response
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .slice(0, MAX_WORDS)
    .toWellFormed();
  const title = code === 'EAUTH' ? 'The server rejected the log-in' : 'The server rejected the mail';
  return { error: { code: responseCode, title, message: words, details: '' }, network: true };
}

const explainBreak = ({ code }: ServerError): string =>
  code === 'ETLS' ? 'No TLS connection to the server was possible.' : 'The connection to the server broke.';

const makeRefusal = (code: string, message: string): Refusal & { outcome: 'rejected' } => ({
  outcome: 'rejected',
  error: { code, title: 'Not sent', message, details: '' },
  network: false,
});

/** The codes by which servers refuse a log-in (RFC 4954). */
const REFUSED_LOG_IN: readonly (number | string)[] = [530, 534, 535, 538];

export const refusesCredentials = (code: number | string): boolean => REFUSED_LOG_IN.includes(code);
