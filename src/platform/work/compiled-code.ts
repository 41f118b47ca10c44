import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** Environment variables for a child process, so that it uses the same cache of compiled code as this process. */
export function compiledCodeEnv(): Record<string, string> {
  const folder = getCompileCacheDir();
  // Node returns a subfolder for its version, but expects the folder above it.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
