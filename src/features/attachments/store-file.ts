/** Stores the file of an attachment whose record was there first (PENDING), such as a picture that a contact has sent. */
import { Readable } from 'node:stream';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { FORMATS, MAX_BYTES, nameFormat, type Format } from '../../platform/work/media/formats.ts';
import { inspectFile } from '../../platform/work/media/inspector.ts';
import type { FileReading } from '../../platform/work/media/reading.ts';
import type { Inspection } from '../../platform/work/media/inspection.ts';
import { openTemporaryFile, readPieces, writeStream } from '../../platform/store/temporary-file.ts';
import type { Acting } from '../../platform/store/tenant.ts';
import { fillAttachment, findAttachment, type AttachmentRow } from './queries.ts';

/**
 * Stores a file under the key of its record, which becomes READY. The contents decide its media type where their format fits to the type of
 * the record; any other file keeps the media type and extension that it was announced with. The thumbnail of a picture is made later, because
 * no one should wait for it. Returns null when the record is gone or has its file already. Throws TooManyBytes beyond the limit of its type,
 * and the error of the stream.
 */
export async function storeFile(
  kit: Kit,
  acting: Acting,
  id: string,
  content: Readable,
): Promise<AttachmentRow | null> {
  const handle = await openTemporaryFile();
  try {
    const row = await findAttachment(acting.read, id);
    if (row?.state !== 'PENDING') return null;
    const written = await writeStream(handle, content, { maxBytes: MAX_BYTES[row.file_type] });
    const read = (start = 0, end = written.bytes) => readPieces(handle, start, end);
    const source = { bytes: written.bytes, read };
    const about = describe(row, await inspect(kit, { owner: acting.companyId, source }));
    await kit.files.put(row.storage_key, Readable.from(read(), { objectMode: false }), {
      maxBytes: written.bytes,
      contentType: about.mime_type,
      known: written,
    });
    return await acting.tx((tx) => fillAttachment(tx, id, { ...written, ...about }));
  } finally {
    content.destroy();
    await handle.close();
  }
}

async function inspect(kit: Kit, reading: FileReading): Promise<Inspection> {
  try {
    return await inspectFile(kit.readers, reading);
  } catch (error) {
    // Failure policy: a broken file is kept as it came, because a contact has sent it; UNAVAILABLE is thrown on.
    if (error instanceof AppError && error.code === 'VALIDATION_FAILED') return { format: null, facts: {} };
    throw error;
  }
}

function describe({ file_type, file_name, mime_type, extension }: AttachmentRow, { format, facts }: Inspection) {
  const found: Format | null = format && FORMATS[format];
  if (!found?.fileTypes.includes(file_type)) return { mime_type, extension, facts: {} };
  const named = nameFormat(found, file_name);
  return { mime_type: named.mimeType, extension: named.extension, facts };
}
