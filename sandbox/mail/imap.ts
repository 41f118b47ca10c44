/** An IMAP server (RFC 3501) with as many commands as a client needs that only reads. */
import type { Socket } from 'node:net';

export type StoredMail = { uid: number; raw: string; receivedAt: Date };

export type ImapMailbox = {
  address: string;
  uidValidity: number;
  uidNext: number;
  mails: StoredMail[];
  /** The clients that wait for news, and how their command is called. */
  idlers: Map<Socket, string>;
  /** By how much the server misjudges the sizes of mails, as servers do that estimate them. */
  sizeError?: number;
};

export type ImapHost = {
  /** Whether the server tells waiting clients that a mail has arrived (IDLE, RFC 2177). */
  canIdle(): boolean;
  logIn(username: string, password: string): ImapMailbox | null;
  /** Runs before each command, and may answer it in its place: it resolves with true then. */
  interfere?(command: string, tag: string, socket: Socket): boolean | Promise<boolean>;
  onFetched?(mailbox: ImapMailbox, mail: StoredMail): void;
};

/** Stores a mail as the newest one, and tells the clients that wait. Returns its number. */
export function deliver(mailbox: ImapMailbox, raw: string, receivedAt = new Date()): number {
  const uid = mailbox.uidNext;
  mailbox.uidNext += 1;
  mailbox.mails.push({ uid, raw, receivedAt });
  for (const socket of mailbox.idlers.keys()) socket.write(`* ${mailbox.mails.length} EXISTS\r\n`);
  return uid;
}

type Session = { host: ImapHost; socket: Socket; mailbox: ImapMailbox | null };

/** Speaks IMAP on a connection until it ends. */
export function serveImap(host: ImapHost, socket: Socket): void {
  const session: Session = { host, socket, mailbox: null };
  let rest = '';
  let answered = Promise.resolve();
  socket
    // A client that goes away has ended its session.
    .on('error', () => undefined)
    .on('close', () => session.mailbox?.idlers.delete(socket));
  socket.write('* OK ready\r\n');
  socket.setEncoding('latin1').on('data', (piece: string) => {
    const lines = (rest + piece).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) answered = answered.then(() => answerLine(session, line));
  });
}

async function answerLine(session: Session, line: string): Promise<void> {
  const { host, socket } = session;
  const [tag = '', ...words] = line.split(' ');
  const command = words.join(' ');
  if ((await host.interfere?.(command, tag, socket)) === true) return;
  const idling = session.mailbox?.idlers.get(socket);
  if (tag === 'DONE' && idling !== undefined) {
    session.mailbox?.idlers.delete(socket);
    return void socket.write(`${idling} OK done\r\n`);
  }
  const say = (text: string): void => void socket.write(`${text}\r\n`, 'latin1');
  const finish = (text = 'OK done'): void => say(`${tag} ${text}`);
  const [name = ''] = words;
  switch (name) {
    case 'CAPABILITY':
      say(`* CAPABILITY IMAP4rev1${host.canIdle() ? ' IDLE' : ''}`);
      return finish();
    case 'LOGIN': {
      const [username = '', password = ''] = command.replaceAll('"', '').slice('LOGIN '.length).split(' ');
      session.mailbox = host.logIn(username, password);
      return finish(session.mailbox ? 'OK logged in' : 'NO [AUTHENTICATIONFAILED] wrong');
    }
    case 'NOOP':
      return finish('OK');
    case 'LOGOUT':
      say('* BYE');
      finish();
      return void socket.end();
    default:
      if (!session.mailbox) return finish('NO log in first');
      return answerInside({ session, mailbox: session.mailbox, tag, words, say, finish });
  }
}

type Command = {
  session: Session;
  mailbox: ImapMailbox;
  tag: string;
  words: string[];
  say: (text: string) => void;
  finish: (text?: string) => void;
};

/** Answers a command of a client that has logged in. */
function answerInside({ session, mailbox, tag, words, say, finish }: Command): void {
  const [name = '', what = ''] = words;
  const command = words.join(' ');
  switch (name === 'UID' ? `UID ${what}` : name) {
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
      fetchMail(session.host, mailbox, command, say);
      return finish();
    case 'IDLE':
      mailbox.idlers.set(session.socket, tag);
      return say('+ idling');
    default:
      return finish('BAD unknown command');
  }
}

/** As servers do, a range that begins behind the end finds the last mail. */
function findNumbers({ mails }: ImapMailbox, command: string): number[] {
  const first = Number(/UID (\d+):\*/.exec(command)?.[1] ?? 0);
  const found = mails.map(({ uid }) => uid).filter((uid) => uid >= first);
  return found.length > 0 ? found : mails.slice(-1).map(({ uid }) => uid);
}

/** Answers the sections of a mail for which a client asks: the whole mail, a part of it, or the headers of a part. */
function fetchMail(host: ImapHost, mailbox: ImapMailbox, command: string, say: (text: string) => void): void {
  const { mails, sizeError = 0 } = mailbox;
  const uid = Number(command.split(' ')[2]);
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
    `INTERNALDATE "${writeDate(mail.receivedAt)}"`,
    ...sections,
  ];
  say(`* ${index + 1} FETCH (${attributes.join(' ')})`);
  host.onFetched?.(mailbox, mail);
}

/** Writes a time as 02-Nov-2026 13:00:05 +0000. */
function writeDate(date: Date): string {
  const [, day, month, year, time] = /, (\d+) (\w+) (\d+) ([\d:]+)/.exec(date.toUTCString()) ?? [];
  return `${day}-${month}-${year} ${time} +0000`;
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
