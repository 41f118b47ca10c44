/**
 * A small disk for a platform process and its database: a tmpfs in its own mount namespace, which does not affect the disks of the machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { readPostmaster } from '../../../src/platform/store/embedded-postgres/postmaster.ts';

export interface SmallDisk {
  /** The path of the folder for a process on the disk. */
  folder: string;
  /** The command that starts a program on the disk. */
  through: string[];
  freeBytes(): Promise<number>;
  /** Fills this many more bytes of the disk, or all free bytes if there are fewer. */
  fill(bytes: number): Promise<void>;
  /** Frees the space that fill() used. */
  clear(): Promise<void>;
  read(path: string): Promise<string>;
  /** The process id of the embedded server whose data is in this folder; 0 when there is none. */
  serverPid(dataDir: string): Promise<number>;
  /** Connects as the superuser of the embedded server in this folder. On a full disk no new connection can be opened. */
  connect(dataDir: string): Promise<pg.Client>;
  /** Runs SQL as that superuser. */
  sql<R>(dataDir: string, text: string): Promise<R[]>;
  close(): Promise<void>;
}

const PIECE = Buffer.alloc(2 ** 20, 'x');

/** Mounts the small disk; returns null on a machine where none can be mounted. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | null> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-disk-'));
  const mount = `mount -t tmpfs -o size=${megabytes}m tmpfs "$0" && echo mounted && exec cat`;
  // This `unshare` process holds the disk and ends with the current process, because its input closes then; the disk disappears with the
  // last process on it.
  const holder = spawn('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', mount, folder], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(holder, 'exit').catch(() => undefined);
  const lines = createInterface({ input: holder.stdout });
  const close = async (): Promise<void> => {
    holder.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const said = await Promise.race([once(lines, 'line'), ended.then(() => null)]);
  if (!said) {
    await close();
    return null;
  }
  const inside = join(`/proc/${holder.pid}/root`, folder);
  const filler = join(inside, 'filler');
  const databaseFolder = (dataDir: string): string => join(inside, dataDir, 'postgres/cluster');
  const connect = async (dataDir: string): Promise<pg.Client> => {
    const server = await readPostmaster(join(databaseFolder(dataDir), 'data'));
    const password = await readFile(join(databaseFolder(dataDir), 'password'), 'utf8');
    const client = new pg.Client({ host: '127.0.0.1', port: server?.port ?? 0, user: 'postgres', password });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  return {
    folder,
    through: ['nsenter', `--target=${holder.pid}`, '--user', '--mount', '--preserve-credentials', '--'],
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(inside);
      return bavail * bsize;
    },
    fill: (bytes) => appendUntilFull(filler, bytes),
    clear: () => rm(filler, { force: true }),
    read: (path) => readFile(join(inside, path), 'utf8'),
    serverPid: async (dataDir) => (await readPostmaster(join(databaseFolder(dataDir), 'data')))?.pid ?? 0,
    connect,
    sql: async <R>(dataDir: string, text: string) => {
      const client = await connect(dataDir);
      try {
        return (await client.query(text)).rows as R[];
      } finally {
        await client.end();
      }
    },
    close,
  };
}

async function appendUntilFull(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (let left = bytes; left > 0; left -= PIECE.length) await file.write(PIECE, 0, Math.min(PIECE.length, left));
  } catch (error) {
    // Failure policy: the caller fills the disk on purpose, so the error ENOSPC of a full disk is ignored.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}
