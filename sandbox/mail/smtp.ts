/** An SMTP server that takes every mail whose sender has logged in. */
import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import type { Sandbox } from '../state.ts';
import { isLate, meetMailFault, takeMailFault } from './faults.ts';
import { MAILBOX_PASSWORD } from './state.ts';
import { takeMail } from './take.ts';

/** A refusal, or null. */
type Done = (error: Error | null, answer?: { user: string }) => void;

type Parts = { sandbox: Sandbox; sockets: Map<string, Socket> };

/** Returns what serves a connection. The library is loaded with the first one, because most starts of the sandbox see no mail. */
export function createSmtp(sandbox: Sandbox): (socket: Socket) => Promise<void> {
  const sockets = new Map<string, Socket>();
  let server: Promise<SMTPServer> | undefined;
  let counter = 0;
  return async (socket) => {
    // A client that goes away has ended its session.
    socket.on('error', () => undefined);
    if ((await meetMailFault(takeMailFault(sandbox.mail, 'connect'), socket)) !== false) return;
    const opened = await (server ??= openServer({ sandbox, sockets }));
    counter += 1;
    const id = String(counter);
    sockets.set(id, socket);
    socket.on('close', () => sockets.delete(id));
    opened.connect(socket, { id });
  };
}

async function openServer(parts: Parts): Promise<SMTPServer> {
  const { SMTPServer: Server } = await import('smtp-server');
  const server = new Server({
    secure: true,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, session, done: Done) =>
      void answer(parts, { place: 'log_in', session, done }, () =>
        password === MAILBOX_PASSWORD
          ? done(null, { user: username ?? '' })
          : done(Object.assign(new Error('The password is wrong'), { responseCode: 535 })),
      ),
    onRcptTo: (_address, session, done: Done) =>
      void answer(parts, { place: 'recipient', session, done }, () => done(null)),
    onData: (stream, session, done) => void readMail(parts, stream, session, done),
  });
  server.on('error', () => undefined);
  return server;
}

/** Goes on with a command unless a fault refuses it, or leaves it without an answer. */
async function answer(
  { sandbox, sockets }: Parts,
  { place, session, done }: { place: string; session: SMTPServerSession; done: Done },
  goOn: () => unknown,
): Promise<void> {
  const met = await meetMailFault(takeMailFault(sandbox.mail, place), sockets.get(session.id));
  if (met instanceof Error) done(met);
  else if (!met) await goOn();
}

async function readMail(
  { sandbox, sockets }: Parts,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  done: (error: Error | null) => void,
): Promise<void> {
  const socket = sockets.get(session.id);
  const pieces: Buffer[] = await stream.toArray().catch(() => []);
  // A client that goes away in the middle of a mail has sent none.
  if (pieces.length === 0) return;
  const fault = takeMailFault(sandbox.mail, 'data');
  const early = isLate(fault) ? false : await meetMailFault(fault, socket);
  if (early instanceof Error) return done(early);
  if (early) return;
  const recipients = session.envelope.rcptTo.map(({ address }) => address);
  await takeMail(sandbox, Buffer.concat(pieces), { mailbox: String(session.user), recipients });
  if (!isLate(fault) || (await meetMailFault(fault, socket)) === false) done(null);
}
