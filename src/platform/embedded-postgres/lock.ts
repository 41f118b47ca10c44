import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/**
 * Takes the folder for this process alone; returns how to give it back. Throws one sentence when another process has it.
 *
 * The lock is SQLite's exclusive lock on an empty file: the operating system drops it when its holder ends in any way,
 * also between containers that share the folder, and it works on every platform. A pid file alone does neither.
 */
export function lockFolder(folder: string, pid: number): () => void {
  const database = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    // Nothing is ever written: a journal on disk would only be litter, and a full disk must not matter.
    database.exec('pragma journal_mode = memory; begin exclusive');
    // Only so that a second process can name this one.
    writeFileSync(join(folder, 'pid'), String(pid), { mode: 0o600 });
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error(`another Parley (pid ${readHolder(folder)}) is running on ${folder}`, { cause: error });
  }
  return () => {
    if (database.isOpen) database.close();
  };
}

function readHolder(folder: string): string {
  try {
    return readFileSync(join(folder, 'pid'), 'utf8');
  } catch {
    // Failure policy: the pid is a courtesy; the refusal stands without it.
    return 'unknown';
  }
}
