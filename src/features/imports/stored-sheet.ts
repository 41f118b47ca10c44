/** Reads the sheet of an import from its pieces in the database. */
import type { ByteSource } from '../../platform/store/byte-source.ts';
import { AppError } from '../../platform/values/errors.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { findChunk } from './queries.ts';

/**
 * Opens a stored sheet. All pieces except the last have the same size. The piece that was read last is kept, because a zip is read in many
 * small steps.
 */
export function storedSheet(read: TenantRead, { _id, bytes }: { _id: string; bytes: number }): ByteSource {
  let kept: { position: number; bytes: Buffer } | null = null;
  let pieceBytes: number | null = null;
  const pieceAt = async (position: number): Promise<Buffer> => {
    if (kept?.position === position) return kept.bytes;
    const piece = await findChunk(read, _id, position);
    // Another worker ended the import and deleted its sheet; retrying lets this worker find that out.
    if (!piece) throw new AppError('UNAVAILABLE', 'the sheet of an import is gone');
    kept = { position, bytes: piece.bytes };
    return piece.bytes;
  };
  return {
    bytes,
    async *read(start, end) {
      // A sheet that an earlier release stored has pieces of another size.
      pieceBytes ??= (await pieceAt(0)).length;
      for (let position = start; position < end;) {
        const piece = await pieceAt(Math.floor(position / pieceBytes));
        const from = position % pieceBytes;
        const part = piece.subarray(from, Math.min(piece.length, from + end - position));
        if (part.length === 0) return;
        position += part.length;
        yield part;
      }
    },
  };
}
