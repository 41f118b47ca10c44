/** Bytes that can be read from any place: an upload, pieces in the database, a file in a store. */
export interface ByteSource {
  bytes: number;
  /** Reads the bytes from `start` (inclusive) to `end` (exclusive). */
  read(start: number, end: number): AsyncIterable<Buffer>;
}

/** Reads a part of a source into one buffer. */
export async function readBytes(source: ByteSource, start: number, end: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of source.read(start, end)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Bytes in memory as a source. */
export const bufferSource = (bytes: Buffer): ByteSource => ({
  bytes: bytes.length,
  async *read(start, end) {
    yield bytes.subarray(start, end);
  },
});
