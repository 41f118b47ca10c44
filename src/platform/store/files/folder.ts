/** Keeps files in a folder of this machine. Processes on several machines need a folder that all of them share, or another store. */
import { randomUUID } from 'node:crypto';
import type { Dir } from 'node:fs';
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type { Storage } from '../storage.ts';
import { writeStream, type WrittenFile } from '../temporary-file.ts';
import { checkRange, type FileStore } from './store.ts';

/** Files are written here first. No key leads here, because keys begin with a company. */
const UNFINISHED = '.unfinished';

/** `path` is created with the first file. While the disk is nearly full, `storage` refuses writes. */
export function createFolderStore(path: string, storage: Storage): FileStore {
  const root = resolve(path);
  const unfinished = join(root, UNFINISHED);
  const place = (key: string): string => join(root, ...key.split('/'));
  return {
    async put(key, content, { maxBytes, known }) {
      storage.admit();
      const target = place(key);
      const side = join(unfinished, randomUUID());
      await ensureFolder(unfinished);
      await ensureFolder(dirname(target));
      try {
        const written = await writeNew(side, content, maxBytes);
        if (known && written.sha256 !== known.sha256)
          throw new Error('the content of a file is not what was announced');
        await rename(side, target);
        await syncFolder(dirname(target));
        return written;
      } finally {
        // After the rename there is nothing left to remove.
        await rm(side, { force: true });
      }
    },

    async get(key, range) {
      const handle = await unlessMissing(open(place(key), 'r'));
      if (handle === null) return null;
      try {
        const { size } = await handle.stat();
        if (range) checkRange(range, size);
        const part = range && { start: range.start, end: range.end - 1 };
        // The stream closes the file when it ends or is destroyed.
        return { bytes: size, body: handle.createReadStream(part) };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },

    remove: (key) => rm(place(key), { force: true }),

    list: () => listFolder(root),
    removeUnfinished: (olderThanMs) => removeOlder(unfinished, olderThanMs),
  };
}

async function* listFolder(root: string): AsyncGenerator<{ key: string; writtenMs: number }> {
  for await (const company of entries(await unlessMissing(opendir(root)))) {
    if (!company.isDirectory() || company.name === UNFINISHED) continue;
    const folder = join(root, company.name);
    for await (const entry of entries(await unlessMissing(opendir(folder, { recursive: true })))) {
      const file = join(entry.parentPath, entry.name);
      const found = entry.isFile() ? await unlessMissing(stat(file)) : null;
      if (found) yield { key: relative(root, file).split(sep).join('/'), writtenMs: found.mtimeMs };
    }
  }
}

async function removeOlder(folder: string, olderThanMs: number): Promise<void> {
  for await (const { name } of entries(await unlessMissing(opendir(folder)))) {
    const file = join(folder, name);
    const found = await unlessMissing(stat(file));
    if (found && found.mtimeMs < olderThanMs) await rm(file, { force: true });
  }
}

/** Writes a new file, so that it survives a power failure. */
async function writeNew(path: string, content: Readable, maxBytes: number): Promise<WrittenFile> {
  const handle = await open(path, 'wx', 0o600);
  try {
    const written = await writeStream(handle, content, { maxBytes });
    await handle.sync();
    return written;
  } finally {
    await handle.close();
  }
}

const entries = (folder: Dir | null): Dir | [] => folder ?? [];

/** Null when the file or folder does not exist, perhaps because it was removed a moment ago. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    // Failure policy: only a missing file is expected; any other error is thrown on.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Creates a folder, if necessary with those around it, so that it also survives a power failure. */
async function ensureFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Makes the entries of a folder survive a power failure. */
async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // Failure policy: where folders cannot be opened or synchronised (Windows), the file system takes care of its entries itself.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'].includes(code)) throw error;
  }
}
