/**
 * The platform's own mail: to the operator's SMTP server or, without one, to files that any mail program opens. Mails are rare:
 * the library that writes them is loaded with the first one.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { SendMailOptions, SMTPTransportOptions } from 'nodemailer';
import { newId } from './ids.ts';

export interface Mailer {
  /** Resolves once the server has taken the mail, or the file is there; rejects with the server's own words. */
  send(mail: Mail): Promise<void>;
  /** What is still being sent is given up. */
  close(): void;
}

export interface Mail {
  /** One address, without a name. */
  to: string;
  subject: string;
  text: string;
  html: string;
}

interface MailerOptions {
  /** smtp:// (STARTTLS wherever it is offered) or smtps://; null writes files. */
  smtpUrl: string | null;
  /** For the files; made when the first one is written. */
  folder: string;
  /** An address, or a name and an address: Parley <no-reply@example.com>. */
  from: string;
  /** How long the server may be silent; tests have less patience. */
  timeoutMs?: number;
}

// A server that takes longer for one step will not do better by being waited for: the mail is tried again later.
const TIMEOUT_MS = 10_000;
// For a whole mail: a server that says a word every nine seconds would otherwise be listened to for ever.
const TOTAL_TIMEOUTS = 6;

/** Throws one sentence for an SMTP URL that can not be meant. Nothing connects before the first mail. */
export function createMailer(options: MailerOptions): Mailer {
  return options.smtpUrl === null ? createFileMailer(options) : createSmtpMailer(options.smtpUrl, options);
}

/** A connection per mail: they are rare, and a pool would hold what the server closes meanwhile. */
function createSmtpMailer(smtpUrl: string, { from, timeoutMs = TIMEOUT_MS }: MailerOptions): Mailer {
  const options = smtpOptions(smtpUrl, timeoutMs);
  const closing = new AbortController();
  return {
    send: async (mail) => {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TOTAL_TIMEOUTS * timeoutMs)]);
      const composed = compose(mail, from);
      try {
        const { createTransport } = await import('nodemailer');
        await createTransport(options).sendMail({ ...composed, signal });
      } catch (error) {
        // Failure policy: the caller's, told which server it was. Of what the server said only the code: its words repeat
        // addresses, and this is logged.
        const { code, responseCode, message: words } = error as Error & { code?: string; responseCode?: number };
        const told = responseCode === undefined ? words : `${code} ${responseCode}`;
        const message = `the mail server ${options.host}:${options.port}: ${told}`;
        throw new Error(message, { cause: error });
      }
    },
    close: () => closing.abort(new Error('the mailer was closed')),
  };
}

/** What the URL says, and nothing else: no parameter of it loosens what is checked. */
export function smtpOptions(smtpUrl: string, timeoutMs: number): SMTPTransportOptions {
  const url = new URL(smtpUrl);
  const secure = url.protocol === 'smtps:';
  // URL keeps the brackets of an IPv6 address.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!host) throw new Error('SMTP_URL names no host');
  const user = decode(url.username);
  const isLocal = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return {
    host,
    port: url.port ? Number(url.port) : secure ? 465 : 587,
    secure,
    ...(user ? { auth: { user, pass: decode(url.password) } } : {}),
    // Nobody listens between us and ourselves, and a server for tests offers a certificate that nobody signed. A password
    // leaves the machine only through TLS, whatever somebody in between makes of the server's offer.
    ignoreTLS: !secure && isLocal,
    requireTLS: !secure && !isLocal && user !== '',
    tls: { minVersion: 'TLSv1.2' },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // Mails carry links that open accounts: nothing of them is ever logged.
    logger: false,
    debug: false,
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    // Failure policy: nothing starts with half a password.
    throw new Error('SMTP_URL has a % in its user or password that is not written %25', { cause: error });
  }
}

function createFileMailer({ folder, from }: MailerOptions): Mailer {
  return {
    send: async (mail) => {
      const { createTransport } = await import('nodemailer');
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await composer.sendMail({ ...compose(mail, from), ...asWritten(mail) });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Sorts by time; within one millisecond by the id, which counts up.
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${newId()}.eml`;
      const side = join(folder, `.${name}.part`);
      try {
        await writeFile(side, message as Buffer, { mode: 0o600, flag: 'wx', flush: true });
        // Whoever watches the folder sees a whole mail or none.
        await rename(side, join(folder, name));
      } finally {
        await rm(side, { force: true });
      }
    },
    close: () => undefined,
  };
}

/** Both bodies unencoded: whoever develops reads the link in the file itself. A server might not take eight bits. */
function asWritten({ text, html }: Mail): SendMailOptions {
  const part = (type: string, body: string) => ({
    raw: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${body}`,
  });
  return { text: part('text/plain', text), html: part('text/html', html) };
}

/** One address: no name, no list, no comment, no quotes, nothing that a header or a command could end at. */
const ADDRESS = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[^\s\p{C}"(),:;<>@[\\\]]{1,255}$/u;

/** Throws when `to` is anything but one address: what a header means is never left to what a user typed. */
function compose({ to, subject, text, html }: Mail, from: string): SendMailOptions {
  if (!ADDRESS.test(to)) throw new Error('a recipient that is no single address');
  return {
    from,
    // As parts, so that nothing is parsed.
    to: { name: '', address: to },
    subject: subject.replaceAll(/\p{C}+/gu, ' '),
    text,
    html,
    date: new Date(),
    // Absence notes and other robots do not answer what says this of itself.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
