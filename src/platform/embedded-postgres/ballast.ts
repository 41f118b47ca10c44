/**
 * A file that holds space in reserve. When another program has filled the disk and PostgreSQL has ended, the file is removed, so that
 * the recovery has space to write to. The file is written again once there is plenty of space.
 */
import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

// Recovery needs one segment of the log (16 MB) for its last checkpoint, and what it restores beyond the end of the tables' files.
export const BALLAST_BYTES = 64 * 2 ** 20;
const PIECE_BYTES = 2 ** 20;

export interface Ballast {
  /** Creates the file when it is missing. When it can not be written, nothing of it is left and an error is thrown. */
  keep(): Promise<void>;
  /** Removes the file, which frees its space. */
  drop(): Promise<void>;
}

export function createBallast(folder: string): Ballast {
  const path = join(folder, 'ballast');
  let isKept = false;
  return {
    keep: async () => {
      if (isKept) return;
      if ((await readSize(path)) !== BALLAST_BYTES) await fill(path);
      isKept = true;
    },
    drop: async () => {
      isKept = false;
      await rm(path, { force: true });
    },
  };
}

async function fill(path: string): Promise<void> {
  const side = `${path}.new`;
  // Random bytes, because a compressing file system would reserve no space for zeros.
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
  // Failure policy: a file whose size can not be read is written again, which reports the cause if it also fails.
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
