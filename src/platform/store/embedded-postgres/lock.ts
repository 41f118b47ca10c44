import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/**
 * Locks the folder for this process. Returns a function that releases the lock. Throws an error with one sentence when another process has
 * the lock.
 *
 * The lock is the exclusive lock of SQLite on an empty file: the operating system drops it when its holder ends in any
 * way, also between containers that share the folder, and it works on every platform. A pid file alone does neither.
 */
export function lockFolder(folder: string, pid: number): () => void {
  const database = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    // Nothing is written to the database file, so it needs no journal on disk, and the lock also works on a full disk.
    database.exec('pragma journal_mode = memory; begin exclusive');
    // The pid is stored only for the error message of a second process.
    writeFileSync(join(folder, 'pid'), String(pid), { mode: 0o600 });
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error(
      `another Parley (pid ${readLockHolder(folder)}) is running on ${folder}; set DATA_DIR to another folder, or end that one`,
      { cause: error },
    );
  }
  return () => {
    if (database.isOpen) database.close();
  };
}

function readLockHolder(folder: string): string {
  try {
    return readFileSync(join(folder, 'pid'), 'utf8');
  } catch {
    // Failure policy: the pid only improves the error message, which works without it.
    return 'unknown';
  }
}
