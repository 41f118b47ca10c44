/**
 * Measures the duration of AMR files, the sound format of old mobile phones. A file is a signature and then frames of 20 ms, each of which
 * begins with a byte that gives its length.
 */
import type { ByteSource } from '../../store/byte-source.ts';
import { fileFault } from '../file-fault.ts';

const MARK = '#!AMR\n';
const FRAME_SECONDS = 0.02;
// The bytes of a frame by its kind, its first byte included (RFC 4867). The other kinds are reserved.
const FRAME_BYTES = [13, 14, 16, 18, 20, 21, 27, 32, 6];
const NO_DATA = 15;

/** Returns how many seconds the sound lasts. Throws for a broken file, and for AMR of another kind (several channels, wide band). */
export async function measureAmr(source: ByteSource): Promise<number> {
  let frames = 0;
  /** Where the next frame begins, counted from the beginning of the file. */
  let next = MARK.length;
  let position = 0;
  for await (const piece of source.read(0, source.bytes)) {
    if (position === 0 && piece.toString('latin1', 0, MARK.length) !== MARK)
      throw fileFault('is AMR of another kind than AMR-NB with one channel');
    while (next < position + piece.length) {
      const kind = ((piece[next - position] ?? 0) >> 3) & 15;
      const bytes = kind === NO_DATA ? 1 : FRAME_BYTES[kind];
      if (bytes === undefined) throw fileFault('is a broken AMR');
      frames += 1;
      next += bytes;
    }
    position += piece.length;
  }
  if (frames === 0) throw fileFault('is a broken AMR: it has no sound');
  return frames * FRAME_SECONDS;
}
