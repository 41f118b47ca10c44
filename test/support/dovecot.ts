/** A real IMAP server, Debian's dovecot-imapd, for tests that run where it is installed. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { MAIL_LOG_IN } from './mail-servers.ts';
import { findPort } from './ports.ts';
import { waitUntil } from './wait.ts';

const PROGRAM = '/usr/sbin/dovecot';
/** As root, the server runs its parts as these users, of which every Linux has some. */
const NOBODY = { user: 'nobody', group: 'nogroup', logIn: 'daemon', id: 65_534 };

/** False where the server is installed, else why a test skips. */
export const skipWithoutDovecot: string | false = existsSync(PROGRAM) ? false : 'dovecot-imapd is not installed';

export interface Dovecot {
  port: number;
  /** Stores a mail as the newest one. */
  deliver(raw: string): void;
  /** Makes the server number the mails anew, with another UIDVALIDITY. */
  forgetNumbers(): void;
}

/** Starts the server with one mailbox, until the scope ends. */
export async function startDovecot(
  scope: { after(end: () => unknown): void },
  { key, cert }: { key: string; cert: string },
): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-dovecot-'));
  const mails = join(folder, 'mails');
  const isRoot = process.getuid?.() === 0;
  const own = (path: string): void => void (isRoot && chownSync(path, NOBODY.id, NOBODY.id));
  for (const path of [folder, mails, ...['new', 'cur', 'tmp'].map((name) => join(mails, name))]) {
    mkdirSync(path, { recursive: true });
    own(path);
  }
  writeFileSync(join(folder, 'key.pem'), key);
  writeFileSync(join(folder, 'cert.pem'), cert);
  const port = await findPort();
  writeFileSync(join(folder, 'dovecot.conf'), describeServer(folder, port, isRoot));
  const server = spawn(PROGRAM, ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'ignore' });
  scope.after(() => stop(server, folder));
  await waitUntil('dovecot', () => answers(port));
  let count = 0;
  return {
    port,
    deliver(raw) {
      count += 1;
      const path = join(mails, 'new', `${Date.now()}.${count}.test`);
      writeFileSync(path, raw);
      own(path);
    },
    forgetNumbers() {
      for (const name of [
        'dovecot-uidlist',
        'dovecot-uidvalidity',
        'dovecot.index',
        'dovecot.index.log',
        'dovecot.index.cache',
      ])
        rmSync(join(mails, name), { force: true });
    },
  };
}

const describeServer = (folder: string, port: number, isRoot: boolean): string => `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
ssl = required
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
default_internal_user = ${isRoot ? NOBODY.user : userInfo().username}
default_internal_group = ${isRoot ? NOBODY.group : readGroup()}
default_login_user = ${isRoot ? NOBODY.logIn : userInfo().username}
first_valid_uid = 1
mail_location = maildir:${folder}/mails
passdb {
  driver = static
  args = password=${MAIL_LOG_IN.password}
}
userdb {
  driver = static
  args = uid=${isRoot ? NOBODY.id : process.getuid?.()} gid=${isRoot ? NOBODY.id : process.getgid?.()} home=${folder}/mails
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    address = 127.0.0.1
    port = ${port}
    ssl = yes
  }
}
`;

const readGroup = (): string => execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim();

async function stop(server: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null && server.kill()) await once(server, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
