/** Writes streams of unknown length to files, with a limit, while counting and hashing their bytes; and reads such files. */
import { createHash, randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface WrittenFile {
  bytes: number;
  /** The hash of the content, in hex. */
  sha256: string;
}

/** A stream had more bytes than allowed. */
export class TooManyBytes extends Error {
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
    this.name = 'TooManyBytes';
  }
}

/**
 * Creates a file for reading and writing whose directory entry is removed at once, so that a process that dies leaves nothing behind. It
 * exists until it is closed.
 */
export async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `parley-upload-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

/** Writes a whole stream to an empty file. Throws TooManyBytes beyond `maxBytes`. `onPiece` may delay the next piece. */
export async function writeStream(
  handle: FileHandle,
  content: AsyncIterable<Buffer>,
  { maxBytes, onPiece }: { maxBytes: number; onPiece?: (bytes: number) => Promise<void> },
): Promise<WrittenFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of content) {
    if (bytes + piece.length > maxBytes) throw new TooManyBytes(maxBytes);
    hash.update(piece);
    await writePiece(handle, piece, bytes);
    bytes += piece.length;
    await onPiece?.(piece.length);
  }
  return { bytes, sha256: hash.digest('hex') };
}

// The size of the pieces in which files are read and stored in the database. The driver of the database turns each piece into a text of
// twice its size: larger pieces would make the garbage collector stop the process for tens of milliseconds.
const PIECE_BYTES = 128 * 1024;

/** Reads the bytes of a file from `start` (inclusive) to `end` (exclusive). */
export async function* readPieces(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end;) {
    const wanted = Math.min(PIECE_BYTES, end - position);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function writePiece(handle: FileHandle, piece: Buffer, position: number): Promise<void> {
  // A nearly full disk takes only a part of a piece; the attempt to write the rest then says that the disk is full.
  for (let written = 0; written < piece.length;) {
    const { bytesWritten } = await handle.write(piece, written, piece.length - written, position + written);
    written += bytesWritten;
  }
}
