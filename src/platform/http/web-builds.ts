/**
 * Builds the apps of web/ that have a build.ts. A build is a folder named after the hash of the app's sources, so that a start builds only
 * what has changed: below web/<name>/dist, where `npm run console` puts it for images, or else below the data folder.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = join(import.meta.dirname, '../../..');
/** The apps that have a build.ts. */
const BUILT_APPS = ['console', 'widget'];
/** What decides the result of a build besides the app's own files: the code that apps share, and the versions of the packages. */
const SHARED_SOURCES = ['web/*.ts', 'web/browser/**/*.ts', 'sdk/src/**/*.ts', 'package-lock.json'];
/** A build takes a second of an idle machine. */
const BUILD_MS = 120_000;

/** Returns the folder where the app's build is, or will be once buildWebApp() has made it. */
export function locateWebBuild(name: string, dataDir: string): string {
  const hash = hashSources(name);
  const shipped = join(shippedBuilds(name), hash);
  return existsSync(shipped) ? shipped : join(dataDir, 'web', name, hash);
}

const shippedBuilds = (name: string): string => join(ROOT, 'web', name, 'dist');

/** Builds the apps for the installation itself, so that its processes build nothing. Returns their folders. */
export async function shipWebApps(): Promise<string[]> {
  const folders: string[] = [];
  for (const name of BUILT_APPS) {
    const folder = join(shippedBuilds(name), hashSources(name));
    await buildWebApp(name, folder);
    folders.push(folder);
  }
  return folders;
}

/** Builds each app whose sources have changed. `onFailure` hears of the apps that could not be built. */
export async function buildWebApps(dataDir: string, onFailure: (name: string, error: unknown) => void): Promise<void> {
  for (const name of BUILT_APPS)
    await buildWebApp(name, locateWebBuild(name, dataDir)).catch((error: unknown) => onFailure(name, error));
}

function hashSources(name: string): string {
  const patterns = [`web/${name}/**/*.*`, ...SHARED_SOURCES];
  const files = globSync(patterns, { cwd: ROOT, exclude: [`web/${name}/dist/**`] }).toSorted();
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}

/**
 * Builds the app into the folder, unless it is there, in a process of low priority, and removes older builds beside it. Throws an Error with
 * what the build has written when it fails.
 */
async function buildWebApp(name: string, folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await mkdir(dirname(folder), { recursive: true });
  const child = spawn(process.execPath, [join(ROOT, 'web', name, 'build.ts'), folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: BUILD_MS,
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  // Another process may have built the same at the same moment; then this one could not rename its own build.
  if (!existsSync(folder)) throw new Error(`web/${name} could not be built: ${errors.slice(-2_000)}`);
  const others = (await readdir(dirname(folder))).filter((other) => join(dirname(folder), other) !== folder);
  // A side folder of a build that is running has a dot in its name.
  const old = others.filter((other) => !other.includes('.'));
  await Promise.all(old.map((other) => rm(join(dirname(folder), other), { recursive: true, force: true })));
}
