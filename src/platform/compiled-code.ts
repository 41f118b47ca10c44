import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** For the environment of a process of our own: it takes compiled code from where this one keeps it between starts. */
export function compiledCodeEnv(): Record<string, string> {
  const folder = getCompileCacheDir();
  // Node names a folder of its own version inside the one that it was given.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
