import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and the missing ones around it. The option `recursive` of Node's mkdir tries again for ever, with a core of its own, where the
 * system answers ENOENT although the folder around it exists, as in /proc.
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  const wanted = resolve(path);
  if (await isFolder(wanted)) return;
  const around = dirname(wanted);
  if (around !== wanted) await makeFolder(around, mode);
  try {
    await mkdir(wanted, { mode });
  } catch (error) {
    // Failure policy: another process may have made the folder meanwhile; any other error is thrown.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isFolder(wanted))) throw error;
  }
}

/** Failure policy: a path that cannot be looked at counts as no folder; making the folder then reports the cause. */
const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
