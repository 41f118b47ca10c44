import { randomBytes } from 'node:crypto';
import { chown, lstat, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runProgram, type Launcher, type PostgresBinaries } from './binaries.ts';

/** One PostgreSQL data folder and the password of its superuser. */
export interface Cluster {
  folder: string;
  data: string;
  password: string;
}

/** Opens `folder/cluster`; creates it by initdb when it is missing. Throws when another major version of PostgreSQL created it. */
export async function openCluster(folder: string, binaries: PostgresBinaries): Promise<Cluster> {
  const home = join(folder, 'cluster');
  const data = join(home, 'data');
  if (!(await fileExists(home))) await createCluster(folder, home, binaries);
  const version = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (version !== binaries.majorVersion) {
    throw new Error(
      `${data} was made by PostgreSQL ${version}, and PostgreSQL ${binaries.majorVersion} cannot read it`,
    );
  }
  return { folder, data, password: await readFile(join(home, 'password'), 'utf8') };
}

/** Creates the data and the password in a side folder, which is then renamed, so that a crash leaves either both or neither. */
async function createCluster(folder: string, home: string, binaries: PostgresBinaries): Promise<void> {
  // Each try uses a new folder name, because the initdb of a killed Parley may still be writing to the folder of the last try.
  const prefix = `${home}.new-`;
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry);
    if (path.startsWith(prefix)) await rm(path, { recursive: true, force: true, maxRetries: 10 });
  }
  const side = await mkdtemp(prefix);
  const passwordFile = join(side, 'password');
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
  await changeOwner(binaries.launcher, [folder, passwordFile, side]);
  await runInitdb(binaries, join(side, 'data'), passwordFile);
  await rename(side, home);
  await fsyncFolder(folder);
}

async function runInitdb(binaries: PostgresBinaries, data: string, passwordFile: string): Promise<void> {
  const args = [`--pgdata=${data}`, '--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  args.push('--encoding=UTF8', '--no-instructions', '--locale=C');
  // The built-in locale C.UTF-8 of PostgreSQL sorts and converts case in the same way on every machine.
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  // pg_trgm uses the system's locale to recognise letters, and in the locale C only ASCII letters count.
  await runProgram(binaries, binaries.initdb, [...args, '--lc-ctype=C.UTF-8']).catch((error: unknown) => {
    // Failure policy: on a system without that locale only ASCII letters are recognised; any other failure is fatal.
    if (!(error as Error).message.includes('invalid locale name')) throw error;
    return runProgram(binaries, binaries.initdb, args);
  });
}

/** Makes the launcher's user the owner of the data. Must not be called while a server runs on the folder. */
export async function changeClusterOwner({ folder, data }: Cluster, launcher: Launcher): Promise<void> {
  if (process.getuid?.() !== 0 || (await lstat(data)).uid === (launcher.uid ?? 0)) return;
  const entries = await readdir(data, { recursive: true });
  // The data folder is changed last, because its owner shows that all files inside have been changed already.
  await changeOwner(launcher, [folder, dirname(data), ...entries.map((entry) => join(data, entry)), data]);
}

/** Changes the owner of files. Only root can do this; root needs to when the server is now started as another user than before. */
async function changeOwner(launcher: Launcher, paths: string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const uid = launcher.uid ?? 0;
  for (const path of paths) await chown(path, uid, uid);
}

/**
 * Writes a rename inside the folder to disk, so that the rename survives a power cut. Windows cannot open a folder and does not need this.
 */
async function fsyncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function fileExists(path: string): Promise<boolean> {
  // Failure policy: a path that cannot be read counts as missing; creating it then reports the cause.
  return lstat(path).then(
    () => true,
    () => false,
  );
}
