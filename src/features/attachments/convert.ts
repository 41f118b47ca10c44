/** Converts the file of an attachment to a format that networks take. The converted file is kept as a copy, so a file is converted once. */
import type { Kit } from '../../kit.ts';
import { findConversion } from '../../platform/work/media/conversions.ts';
import { convertFile } from '../../platform/work/media/converter.ts';
import { createSingleFlight } from '../../platform/work/single-flight.ts';
import { storeCopy } from './copies.ts';
import { findAttachment, type AttachmentRow } from './queries.ts';
import { withFile } from './read-file.ts';

const convertOnce = createSingleFlight<AttachmentRow | null>();

/** True when the file has no converted copy yet, and one can be made. */
export const isConvertible = ({ copies, mime_type, facts }: AttachmentRow): boolean =>
  !copies.CONVERTED && findConversion(mime_type, facts) !== null;

/**
 * Returns the attachment with its converted copy; null when the attachment was removed meanwhile. Throws an AppError about the part `file`
 * when the file cannot be converted.
 */
export function convertAttachment(kit: Kit, row: AttachmentRow): Promise<AttachmentRow | null> {
  return convertOnce(`${row.company} ${row._id}`, async () => {
    // Another request may have stored a copy since the caller has read the attachment.
    const current = await findAttachment(kit.database.read(row.company), row._id);
    if (!current || current.copies.CONVERTED) return current;
    const format = findConversion(row.mime_type, row.facts);
    if (format === null) throw new Error('the file of an attachment needs no conversion');
    const converted = await withFile(kit, row, (reading) => convertFile(kit.readers, reading, format));
    await storeCopy(kit, row, 'CONVERTED', converted);
    return findAttachment(kit.database.read(row.company), row._id);
  });
}
