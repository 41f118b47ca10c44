/** The files that a mail carries. */
import { FILE_TYPES, MAX_BYTES } from '../../platform/work/media/formats.ts';
import type { MediaFormat } from '../media.ts';

/** Providers take mails of 25 MB, and a file grows by a third in a mail. */
const MAX_FILE_BYTES = 18 * 1024 * 1024;

export const MAIL_MEDIA: readonly MediaFormat[] = FILE_TYPES.filter((type) => type !== 'STICKER').map(
  (contentType) => ({
    contentType,
    mimeTypes: null,
    maxBytes: Math.min(MAX_BYTES[contentType], MAX_FILE_BYTES),
    maxCaption: null,
  }),
);
