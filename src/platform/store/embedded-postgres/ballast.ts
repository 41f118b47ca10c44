/**
 * The ballast file, which holds disk space in reserve. When other files have filled the disk and PostgreSQL has ended, the
 * ballast file is removed, so that the recovery of PostgreSQL can write. The file is written again once there is plenty of space.
 */
import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

// The size of the ballast file: recovery needs one segment of the log (16 MB) for its last checkpoint, and space for the pages that it
// restores beyond the end of the tables' files.
export const BALLAST_BYTES = 64 * 2 ** 20;
const PIECE_BYTES = 2 ** 20;

export interface Ballast {
  /** Creates the ballast file when it is missing. When the file cannot be written, no part of it is left and an error is thrown. */
  keep(): Promise<void>;
  /** Removes the ballast file, which frees its space. */
  drop(): Promise<void>;
}

export function createBallast(folder: string): Ballast {
  const path = join(folder, 'ballast');
  let isKept = false;
  return {
    keep: async () => {
      if (isKept) return;
      if ((await readSize(path)) !== BALLAST_BYTES) await writeBallast(path);
      isKept = true;
    },
    drop: async () => {
      isKept = false;
      await rm(path, { force: true });
    },
  };
}

async function writeBallast(path: string): Promise<void> {
  const side = `${path}.new`;
  // The file consists of random bytes, because a compressing file system would reserve no space for zeros.
  const piece = randomBytes(PIECE_BYTES);
  try {
    const file = await open(side, 'w', 0o600);
    try {
      for (let written = 0; written < BALLAST_BYTES; written += PIECE_BYTES) await file.writeFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(side, path);
  } catch (error) {
    await rm(side, { force: true });
    throw error;
  }
}

function readSize(path: string): Promise<number> {
  // Failure policy: a file whose size cannot be read is written again, which reports the cause if it also fails.
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
