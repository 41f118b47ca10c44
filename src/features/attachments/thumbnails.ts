/** Thumbnails of pictures whose records were there before their files, such as those that contacts send. */
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { needsThumbnail } from '../../platform/work/media/conversions.ts';
import { inspectFile } from '../../platform/work/media/inspector.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { storeCopy } from './copies.ts';
import { findAttachment, type AttachmentRow } from './queries.ts';
import { withFile } from './read-file.ts';

const lacksThumbnail = (row: AttachmentRow | null): row is AttachmentRow =>
  row?.state === 'READY' && !row.copies.THUMBNAIL && needsThumbnail(row.mime_type, row.facts);

/** True when the file of this attachment is there, and should get a thumbnail. */
export async function isThumbnailDue(read: TenantRead, id: string): Promise<boolean> {
  return lacksThumbnail(await findAttachment(read, id));
}

/** Makes and stores the thumbnail of a picture, unless it is gone or has one. `signal` ends the work with UNAVAILABLE. */
export async function makeThumbnail(kit: Kit, company: string, id: string, signal: AbortSignal): Promise<void> {
  const row = await findAttachment(kit.database.read(company), id);
  if (!lacksThumbnail(row)) return;
  const thumbnail = await withFile(kit, row, async (reading) => {
    try {
      return (await inspectFile(kit.readers, { ...reading, signal }, { thumbnail: true })).thumbnail;
    } catch (error) {
      // Failure policy: a picture that no child can decode has no thumbnail; UNAVAILABLE is thrown on.
      if (error instanceof AppError && error.code === 'VALIDATION_FAILED') return undefined;
      throw error;
    }
  });
  if (thumbnail) await storeCopy(kit, row, 'THUMBNAIL', thumbnail);
}
