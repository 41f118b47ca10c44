/** Real mail servers on loopback: an SMTP server that keeps what it gets, and an IMAP server with one mailbox. Both speak TLS. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { makeCertificate } from './certificate.ts';

/** What ends a file of tests, or one test. */
interface Scope {
  after(end: () => unknown): void;
}

export const MAIL_LOG_IN = { username: 'support@shop.example', password: 'a-password-of-the-mailbox-1234' };

/** Makes a certificate that this process trusts until the scope ends. */
export function trustCertificate(scope: Scope): { key: string; cert: string } {
  const made = makeCertificate();
  const usual = getCACertificates('default');
  setDefaultCACertificates([...usual, made.cert]);
  scope.after(() => setDefaultCACertificates(usual));
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
  const started: TestSmtpServer = { port: 0, taken, answer: null, breakConnections };
  server.server.on('connection', (socket: Socket) => sockets.add(socket));
  // A client that goes away in the middle of its work is a part of some tests.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  scope.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  started.port = (server.server.address() as AddressInfo).port;
  return started;
}

interface StoredMail {
  uid: number;
  raw: string;
}

/** The mailbox of the IMAP server. A test changes it as a mail server and other programs of the owner would. */
export interface TestMailbox {
  port: number;
  uidValidity: number;
  uidNext: number;
  mails: StoredMail[];
  /** Stores a mail as the newest one. Returns its number. */
  add(raw: string): number;
  /** The commands that clients have sent, without their tags. */
  commands: string[];
  /** By how much the server misjudges the sizes of mails, as servers do that estimate them. */
  sizeError: number;
  /** Whether the server tells waiting clients that a mail has arrived (IDLE, RFC 2177). */
  canIdle: boolean;
  /** The clients that wait, and how their command is called. */
  idlers: Map<Socket, string>;
  /** Answers a command instead of the server, and returns true then. */
  interfere: ((command: string, tag: string, socket: Socket) => boolean) | null;
}

/** Starts an IMAP server (RFC 3501) with as many commands as a client needs that only reads. */
export async function startImapServer(scope: Scope, certificate: { key: string; cert: string }): Promise<TestMailbox> {
  const mailbox: TestMailbox = {
    port: 0,
    uidValidity: 1,
    uidNext: 1,
    mails: [],
    commands: [],
    sizeError: 0,
    canIdle: false,
    idlers: new Map(),
    interfere: null,
    add(raw) {
      const uid = mailbox.uidNext;
      mailbox.uidNext += 1;
      mailbox.mails.push({ uid, raw });
      for (const socket of mailbox.idlers.keys()) socket.write(`* ${mailbox.mails.length} EXISTS\r\n`);
      return uid;
    },
  };
  const sockets = new Set<Socket>();
  const server = createServer(certificate, (socket) => {
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        sockets.delete(socket);
        mailbox.idlers.delete(socket);
      });
    socket.write('* OK ready\r\n');
    let pending = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      const lines = (pending + piece).split('\r\n');
      pending = lines.pop() ?? '';
      for (const line of lines) answerCommand(mailbox, socket, line);
    });
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

function answerCommand(mailbox: TestMailbox, socket: Socket, line: string): void {
  const [tag = '', ...words] = line.split(' ');
  const command = words.join(' ');
  mailbox.commands.push(command.replace(/^LOGIN .*/, 'LOGIN'));
  if (mailbox.interfere?.(command, tag, socket)) return;
  const idling = mailbox.idlers.get(socket);
  if (tag === 'DONE' && idling !== undefined) {
    mailbox.idlers.delete(socket);
    return void socket.write(`${idling} OK done\r\n`);
  }
  const say = (text: string): void => void socket.write(`${text}\r\n`, 'latin1');
  const finish = (text = 'OK done'): void => say(`${tag} ${text}`);
  const [name = ''] = words;
  const isUid = name === 'UID';
  switch (isUid ? `UID ${words[1]}` : name) {
    case 'CAPABILITY':
      say(`* CAPABILITY IMAP4rev1${mailbox.canIdle ? ' IDLE' : ''}`);
      return finish();
    case 'LOGIN': {
      const given = command.replaceAll('"', '').slice('LOGIN '.length);
      const isRight = given === `${MAIL_LOG_IN.username} ${MAIL_LOG_IN.password}`;
      return finish(isRight ? 'OK logged in' : 'NO [AUTHENTICATIONFAILED] wrong');
    }
    case 'LIST':
      say(String.raw`* LIST (\HasNoChildren) "/" INBOX`);
      return finish();
    case 'SELECT':
    case 'EXAMINE':
      say(`* ${mailbox.mails.length} EXISTS`);
      say(String.raw`* FLAGS (\Seen \Deleted)`);
      say(`* OK [UIDVALIDITY ${mailbox.uidValidity}] valid`);
      say(`* OK [UIDNEXT ${mailbox.uidNext}] next`);
      return finish(name === 'EXAMINE' ? 'OK [READ-ONLY] open' : 'OK [READ-WRITE] open');
    case 'UID SEARCH':
      say(`* SEARCH ${findNumbers(mailbox, command).join(' ')}`.trimEnd());
      return finish();
    case 'UID FETCH':
      fetchMail(mailbox, Number(words[2]), command, say);
      return finish();
    case 'IDLE':
      mailbox.idlers.set(socket, tag);
      return say('+ idling');
    case 'LOGOUT':
      say('* BYE');
      finish();
      return void socket.end();
    default:
      return finish(name === 'NOOP' ? 'OK' : 'BAD unknown command');
  }
}

/** As servers do, a range that begins behind the end finds the last mail. */
function findNumbers({ mails }: TestMailbox, command: string): number[] {
  const first = Number(/UID (\d+):\*/.exec(command)?.[1] ?? 0);
  const found = mails.map(({ uid }) => uid).filter((uid) => uid >= first);
  return found.length > 0 ? found : mails.slice(-1).map(({ uid }) => uid);
}

/** Answers the sections of a mail for which a client asks: the whole mail, a part of it, or the headers of a part. */
function fetchMail({ mails, sizeError }: TestMailbox, uid: number, command: string, say: (text: string) => void): void {
  const index = mails.findIndex((mail) => mail.uid === uid);
  const mail = mails[index];
  if (!mail) return;
  const raw = Buffer.from(mail.raw, 'utf8').toString('latin1');
  const sections = [...command.matchAll(/BODY\.PEEK\[([\w.]*)\](?:<(\d+)\.(\d+)>)?/g)].map(
    ([, name = '', start, most]) => {
      const text = readSection(raw, name);
      const sent = start === undefined ? text : text.slice(Number(start), Number(start) + Number(most));
      return `BODY[${name}]${start === undefined ? '' : `<${start}>`} {${sent.length}}\r\n${sent}`;
    },
  );
  const attributes = [
    `UID ${uid}`,
    `RFC822.SIZE ${raw.length + sizeError}`,
    'INTERNALDATE "02-Nov-2026 13:00:05 +0000"',
    ...sections,
  ];
  say(`* ${index + 1} FETCH (${attributes.join(' ')})`);
}

/** The parts of a mail are numbered from 1; a part itself has no parts. */
function readSection(raw: string, name: string): string {
  if (name === '') return raw;
  const [number = '', mime] = name.split('.');
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? '';
  const part = raw.split(`--${boundary}`)[Number(number)]?.replace(/^\r\n/, '').replace(/\r\n$/, '') ?? '';
  const end = part.indexOf('\r\n\r\n') + 4;
  return mime === undefined ? part.slice(end) : part.slice(0, end);
}
