/** Reads the file of an attachment, for work of child processes. */
import type { Kit } from '../../kit.ts';
import type { FileReading } from '../../platform/work/media/reading.ts';
import { openTemporaryFile, readPieces, writeStream } from '../../platform/store/temporary-file.ts';
import { openAttachment } from './attachments.ts';
import type { AttachmentRow } from './queries.ts';

/** Reads the file of an attachment from the store into a temporary file, which `work` has read by a child process. */
export async function withFile<T>(
  kit: Kit,
  row: AttachmentRow,
  work: (reading: FileReading) => Promise<T>,
): Promise<T> {
  const opened = await openAttachment(kit, row);
  if (!opened) throw new Error('the file of an attachment cannot be opened');
  const handle = await openTemporaryFile();
  try {
    const { bytes } = await writeStream(handle, opened.body, { maxBytes: opened.bytes });
    const source = { bytes, read: (start: number, end: number) => readPieces(handle, start, end) };
    return await work({ owner: row.company, source });
  } finally {
    opened.body.destroy();
    await handle.close();
  }
}
