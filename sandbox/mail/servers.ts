import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import type { Sandbox } from '../state.ts';
import { makeCertificate } from './certificate.ts';
import { meetMailFault, takeMailFault } from './faults.ts';
import { serveImap, type ImapHost } from './imap.ts';
import { noteFetched } from './shown.ts';
import { createSmtp } from './smtp.ts';
import { MAILBOX_PASSWORD, openMailbox, type MailServers } from './state.ts';

/** How far the ports of the mail servers are from the sandbox's own. Beside 3001 they are 3465 and 3993, which end like the usual 465 and 993. */
const SMTP_DISTANCE = 464;
const IMAP_DISTANCE = 992;

export type RunningMail = MailServers & { stop(): Promise<void> };

/** Starts both mail servers. They speak TLS alone, as the platform sends and reads no mail without it. */
export async function startMail(sandbox: Sandbox, host: string, port: number): Promise<RunningMail> {
  const { key, cert } = makeCertificate();
  const sockets = new Set<Socket>();
  const open = async (serve: (socket: Socket) => unknown, distance: number): Promise<Server> => {
    const server = createServer({ key, cert }, (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      void serve(socket);
    });
    server.on('tlsClientError', () => undefined);
    await listen(server, host, port + distance);
    return server;
  };
  const [smtp, imap] = await Promise.all([
    open(createSmtp(sandbox), SMTP_DISTANCE),
    open((socket) => serveMailbox(sandbox, socket), IMAP_DISTANCE),
  ]);
  return {
    smtp_url: `smtps://${describeAddress(smtp)}`,
    imap_url: `imaps://${describeAddress(imap)}`,
    certificate: cert,
    stop: async () => {
      const closed = [smtp, imap].map((server) => once(server.close(), 'close'));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

/** Listens at a port that stays the same from start to start, because inboxes name it; where it is taken, at any free one. */
async function listen(server: Server, host: string, port: number): Promise<void> {
  const tryPort = async (wanted: number): Promise<void> => {
    server.listen(wanted, host);
    await once(server, 'listening');
  };
  if (port > 65_535) return tryPort(0);
  // Failure policy: without its usual port the mail network still works, until the next start.
  await tryPort(port).catch(() => tryPort(0));
}

function describeAddress(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function serveMailbox(sandbox: Sandbox, socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  if ((await meetMailFault(takeMailFault(sandbox.mail, 'imap_connect'), socket)) !== false) return;
  serveImap(createHost(sandbox), socket);
}

const PLACES: [command: string, place: string][] = [
  ['LOGIN ', 'imap_log_in'],
  ['UID FETCH ', 'fetch'],
];

const createHost = (sandbox: Sandbox): ImapHost => ({
  canIdle: () => true,
  logIn: (username, password) => (password === MAILBOX_PASSWORD ? openMailbox(sandbox.mail, username) : null),
  async interfere(command, tag, socket) {
    const [, place] = PLACES.find(([name]) => command.startsWith(name)) ?? [];
    const met = place === undefined ? false : await meetMailFault(takeMailFault(sandbox.mail, place), socket);
    if (met instanceof Error) socket.write(`${tag} NO ${met.message}\r\n`);
    return met !== false;
  },
  onFetched: (mailbox, { uid }) => noteFetched(sandbox, mailbox, uid),
});
