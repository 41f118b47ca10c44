/**
 * Sends the platform's own mails to the operator's SMTP server or, without one, writes them to .eml files. Mails are rare, so the mail
 * library is loaded with the first one.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { SendMailOptions, SMTPTransportOptions, Transporter } from 'nodemailer';
import { newId } from '../values/ids.ts';

export interface Mailer {
  /** Resolves when the server has accepted the mail, or when its file is written. An SMTP server that does not accept it causes a MailError that names it. */
  send(mail: Mail): Promise<void>;
  /** Aborts mails that are being sent. */
  close(): void;
}

export interface Mail {
  /** The recipient: one address, without a name. */
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** A mail that the server has not accepted. */
export class MailError extends Error {
  /** Whether the mail certainly was not sent, and was not refused for good (5xx). */
  readonly canRetry: boolean;
  /** Whether the server sends no mail at all, to whatever mailbox: it was not reached, or refused the log-in. Only the operator can correct that. */
  readonly isServerFailure: boolean;

  constructor(
    message: string,
    cause: unknown,
    { canRetry, isServerFailure }: Pick<MailError, 'canRetry' | 'isServerFailure'>,
  ) {
    super(message, { cause });
    this.canRetry = canRetry;
    this.isServerFailure = isServerFailure;
  }
}

/** The codes by which a server refuses a log-in, or asks for one (RFC 4954). */
const LOG_IN_CODES = [530, 534, 535, 538];

interface MailerOptions {
  /** The URL of the SMTP server: smtp:// (STARTTLS when the server offers it) or smtps://; null writes files. */
  smtpUrl: string | null;
  /** The folder for .eml files, which is created with the first mail. */
  folder: string;
  /** The sender: an address, or a name and an address such as Parley <no-reply@example.com>. */
  from: string;
  /** How long to wait for each answer of the server; tests use a shorter time. */
  timeoutMs?: number;
}

// The time limit of one step of the SMTP server; a mail that exceeds it is tried again later.
const TIMEOUT_MS = 10_000;
// The time limit of a whole mail in time-outs. Without it a server that answers a little every nine seconds would never be given up.
const TOTAL_TIMEOUTS = 6;

/** Creates a mailer. Throws one sentence for an invalid SMTP URL. No connection is made before the first mail. */
export function createMailer(options: MailerOptions): Mailer {
  return options.smtpUrl === null ? createFileMailer(options) : createSmtpMailer(options.smtpUrl, options);
}

/** Sends mails by SMTP, with a new connection for each: mails are rare, and the server would close pooled connections meanwhile. */
function createSmtpMailer(smtpUrl: string, { from, timeoutMs = TIMEOUT_MS }: MailerOptions): Mailer {
  const options = smtpOptions(smtpUrl, timeoutMs);
  const closing = new AbortController();
  return {
    send: async (mail) => {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TOTAL_TIMEOUTS * timeoutMs)]);
      const composed = composeMail(mail, from);
      let isWhole = false;
      try {
        const { createTransport } = await import('nodemailer');
        const transport = createTransport(options);
        watchMailEnd(transport, () => (isWhole = true));
        await transport.sendMail({ ...composed, signal });
      } catch (error) {
        // Failure policy: the error is thrown with the name of the server. Of the answer of the
        // server only the code is kept, because its text repeats addresses and the error is logged.
        const { code, responseCode, message: description } = error as Error & { code?: string; responseCode?: number };
        const reason = responseCode === undefined ? description : `${code} ${responseCode}`;
        const message = `the mail server ${options.host}:${options.port}: ${reason}`;
        const isServerFailure =
          responseCode === undefined ? !isWhole : code === 'EAUTH' || LOG_IN_CODES.includes(responseCode);
        const canRetry = isServerFailure || (responseCode !== undefined && responseCode < 500);
        throw new MailError(message, error, { canRetry, isServerFailure });
      }
    },
    close: () => closing.abort(new Error('the mailer was closed')),
  };
}

/** Calls `onWhole` when a mail has been written to its end. A server accepts no mail before, so until then it certainly was not sent. */
export function watchMailEnd(
  transport: Transporter<unknown, SMTPTransportOptions>,
  onWhole: () => void,
  sign: (mail: Readable) => Readable = (mail) => mail,
): void {
  transport.use('stream', (mail, done) => {
    mail.message.processFunc((composed) => {
      // nodemailer reads from this stream only after the server has asked for the mail's data.
      const read = new PassThrough();
      // A signer reads the whole mail before it hands over the first byte, so it comes before this stream.
      pipeline(sign(composed), read, () => undefined);
      return read.once('end', onWhole);
    });
    done();
  });
}

/** Converts an SMTP URL to options. Parameters of the URL are ignored, so that none of them can weaken the security checks. */
export function smtpOptions(smtpUrl: string, timeoutMs: number): SMTPTransportOptions {
  const url = new URL(smtpUrl);
  const secure = url.protocol === 'smtps:';
  // URL keeps the brackets of an IPv6 address.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!host) throw new Error('SMTP_URL names no host');
  const user = decodeUrlPart(url.username);
  const isLocal = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return {
    host,
    port: url.port ? Number(url.port) : secure ? 465 : 587,
    secure,
    ...(user ? { auth: { user, pass: decodeUrlPart(url.password) } } : {}),
    // TLS is not used to a server on this machine, because test servers have self-signed certificates. To another
    // machine a password is sent only through TLS, even if an attacker removes STARTTLS from the offer of the server.
    ignoreTLS: !secure && isLocal,
    requireTLS: !secure && !isLocal && user !== '',
    tls: { minVersion: 'TLSv1.2' },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // The library must log nothing, because mails contain links that give access to accounts.
    logger: false,
    debug: false,
  };
}

function decodeUrlPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    // Failure policy: the platform does not start with a password that it cannot decode.
    throw new Error('SMTP_URL has a % in its user or password that is not written %25', { cause: error });
  }
}

function createFileMailer({ folder, from }: MailerOptions): Mailer {
  return {
    send: async (mail) => {
      const { createTransport } = await import('nodemailer');
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await composer.sendMail({ ...composeMail(mail, from), ...makePlainBodies(mail) });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // File names sort by time and, within one millisecond, by the id, which counts up.
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${newId()}.eml`;
      const side = join(folder, `.${name}.part`);
      try {
        await writeFile(side, message as Buffer, { mode: 0o600, flag: 'wx', flush: true });
        // The file is renamed when it is complete, so that a program that watches the folder never sees half a mail.
        await rename(side, join(folder, name));
      } finally {
        await rm(side, { force: true });
      }
    },
    close: () => undefined,
  };
}

/**
 * Writes both bodies of a mail file without transfer encoding, so that a developer can read the links in the file. An SMTP server might not
 * accept such 8-bit text.
 */
function makePlainBodies({ text, html }: Mail): SendMailOptions {
  const part = (type: string, body: string) => ({
    raw: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${body}`,
  });
  return { text: part('text/plain', text), html: part('text/html', html) };
}

/** Matches exactly one address, without a name, list, comment or quotes, and without characters that end a header or an SMTP command. */
const ADDRESS = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[^\s\p{C}"(),:;<>@[\\\]]{1,255}$/u;

/** Composes a mail. Throws when `to` is not exactly one address, so that users cannot inject headers or recipients. */
function composeMail({ to, subject, text, html }: Mail, from: string): SendMailOptions {
  if (!ADDRESS.test(to)) throw new Error('a recipient that is no single address');
  return {
    from,
    // The recipient is an object, so that the library does not parse the address.
    to: { name: '', address: to },
    subject: subject.replaceAll(/\p{C}+/gu, ' '),
    text,
    html,
    date: new Date(),
    // Out-of-office notices and other automatic mails do not answer a mail with this header.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
