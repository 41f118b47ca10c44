/** Looks at uploaded files that this process still has open. */
import { existsSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';

/** Why a test cannot look at open files: Linux lists them in /proc. */
export const skipWithoutProc = existsSync('/proc/self/fd') ? false : 'needs /proc';

/** Counts the uploaded files of this process that are still open. They have no directory entry. */
export async function countOpenUploads(): Promise<number> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((link) => link.includes('parley-upload-')).length;
}
