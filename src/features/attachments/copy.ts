/** Copies of attachments: files that the platform has made of their files. */
import { withoutExtension } from './file-names.ts';
import type { AttachmentCopy, AttachmentRow } from './queries.ts';

/** The attachment as if the copy was its file. */
export const asCopy = (row: AttachmentRow, copy: AttachmentCopy): AttachmentRow => ({
  ...row,
  ...copy,
  file_name: withoutExtension(row.file_name, row.extension),
});
