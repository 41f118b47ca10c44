/** Real mail servers on loopback: an SMTP server that keeps what it gets, and an IMAP server with one mailbox. Both speak TLS. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { makeCertificate } from '../../sandbox/mail/certificate.ts';
import { deliver, serveImap, type ImapHost, type ImapMailbox } from '../../sandbox/mail/imap.ts';
import { trustCertificate as trust } from '../../src/platform/outside/trust.ts';

/** What ends a file of tests, or one test. */
interface Scope {
  after(end: () => unknown): void;
}

export const MAIL_LOG_IN = { username: 'support@shop.example', password: 'a-password-of-the-mailbox-1234' };

/** Makes a certificate that this process trusts until the scope ends. */
export function trustCertificate(scope: Scope): { key: string; cert: string } {
  const made = makeCertificate();
  scope.after(trust(made.cert));
  return made;
}

interface TakenMail {
  from: string;
  to: string[];
  raw: string;
}

interface TestSmtpServer {
  port: number;
  taken: TakenMail[];
  /** What the server says when it has taken a mail; null for its usual words. */
  answer: string | null;
  /** What becomes of the next mail in the place of being taken: its connection breaks, it gets no answer, or it is refused. */
  fault: 'cut' | 'hung' | 'refused' | null;
  /** The code of a refusal. */
  responseCode: number;
  breakConnections(): void;
}

type SmtpOptions = ConstructorParameters<typeof SMTPServer>[0];

/** Starts an SMTP server that accepts the log-in above. `secure`: TLS begins at once; otherwise by STARTTLS. */
export async function startSmtpServer(scope: Scope, options: SmtpOptions = {}): Promise<TestSmtpServer> {
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    secure: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 10,
    onAuth: ({ username, password }, _session, done) => {
      if (username === MAIL_LOG_IN.username && password === MAIL_LOG_IN.password) return done(null, { user: username });
      return done(new Error('Authentication failed'));
    },
    onData: async (stream, session, done) => {
      const pieces: Buffer[] = await stream.toArray().catch(() => []);
      // A client that goes away in the middle of a mail has sent none.
      if (pieces.length === 0) return;
      const { fault } = started;
      started.fault = null;
      if (fault === 'cut') return started.breakConnections();
      if (fault === 'hung') return;
      if (fault === 'refused')
        return done(Object.assign(new Error('No such user'), { responseCode: started.responseCode }));
      const raw = Buffer.concat(pieces).toString('latin1');
      const { mailFrom, rcptTo } = session.envelope;
      taken.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), raw });
      done(null, started.answer ?? undefined);
    },
    ...options,
  });
  const sockets = new Set<Socket>();
  const breakConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const started: TestSmtpServer = { port: 0, taken, answer: null, fault: null, responseCode: 550, breakConnections };
  server.server.on('connection', (socket: Socket) => sockets.add(socket));
  // A client that goes away in the middle of its work is a part of some tests.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  scope.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  started.port = (server.server.address() as AddressInfo).port;
  return started;
}

/** The mailbox of the IMAP server. A test changes it as a mail server and other programs of the owner would. */
export interface TestMailbox extends ImapMailbox {
  port: number;
  /** By how much the server misjudges the sizes of mails, as servers do that estimate them. */
  sizeError: number;
  /** Whether the server tells waiting clients that a mail has arrived (IDLE, RFC 2177). */
  canIdle: boolean;
  /** Stores a mail as the newest one, which arrived at this time, or at that of all other mails. Returns its number. */
  add(raw: string, receivedAt?: Date): number;
  /** The commands that clients have sent, without their tags. */
  commands: string[];
  /** Answers a command instead of the server, and returns true then. */
  interfere: ((command: string, tag: string, socket: Socket) => boolean) | null;
}

/** When each mail has arrived. */
const RECEIVED_AT = new Date('2026-11-02T13:00:05Z');

/** Starts an IMAP server with one mailbox. */
export async function startImapServer(scope: Scope, certificate: { key: string; cert: string }): Promise<TestMailbox> {
  const mailbox: TestMailbox = {
    address: MAIL_LOG_IN.username,
    port: 0,
    uidValidity: 1,
    uidNext: 1,
    mails: [],
    commands: [],
    sizeError: 0,
    canIdle: false,
    idlers: new Map(),
    interfere: null,
    add: (raw, receivedAt = RECEIVED_AT) => deliver(mailbox, raw, receivedAt),
  };
  const host: ImapHost = {
    canIdle: () => mailbox.canIdle,
    logIn: (username, password) =>
      username === MAIL_LOG_IN.username && password === MAIL_LOG_IN.password ? mailbox : null,
    interfere: (command, tag, socket) => {
      mailbox.commands.push(command.replace(/^LOGIN .*/, 'LOGIN'));
      return mailbox.interfere?.(command, tag, socket) ?? false;
    },
  };
  const sockets = new Set<Socket>();
  const server = createServer(certificate, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveImap(host, socket);
  });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  mailbox.port = (server.address() as AddressInfo).port;
  return mailbox;
}

/** Makes a server answer a command by `words`, and then by the same line again and again for as long as the connection lasts. */
export const sayWithoutEnd =
  (begin: string, line: string, words = ''): NonNullable<TestMailbox['interfere']> =>
  (command, _tag, socket) => {
    if (!command.startsWith(begin)) return false;
    socket.write(words);
    flood(socket, line);
    return true;
  };

/** Writes the same line for as long as the connection lasts. */
export function flood(socket: Socket, line: string): void {
  const lines = line.repeat(Math.ceil(60_000 / line.length));
  const write = (): void => {
    while (socket.writable && socket.write(lines));
  };
  socket.on('drain', write);
  write();
}
