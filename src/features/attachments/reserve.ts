/** Reserves the record of a file that a network still has to hand out, so that the record and its link are there with the message. */
import type { ContentType } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import { newId } from '../../platform/values/ids.ts';
import { FILE_TYPES, guessExtension, type FileType } from '../../platform/work/media/formats.ts';
import { checkFileName } from './file-names.ts';
import { newLink, newStorageKey, publicUrl } from './links.ts';
import type { AttachmentRow } from './queries.ts';

/** What the network says of the file. The file itself may be something else. */
export interface ExpectedFile {
  contentType: ContentType;
  mimeType: string | null;
  fileName: string | null;
}

type ReservedRow = Pick<
  AttachmentRow,
  '_id' | 'company' | 'file_type' | 'extension' | 'mime_type' | 'file_name' | 'storage_key' | 'link'
>;

export interface Reserved extends ReservedRow {
  url: string;
}

// A file is served as what it is. What the platform does not know stays of this type, and browsers only save it.
const UNKNOWN_TYPE = 'application/octet-stream';

export function reserveAttachment(kit: Kit, company: string, expected: ExpectedFile): Reserved {
  const { contentType, mimeType, fileName } = expected;
  const bare = mimeType?.replace(/;.*$/, '').trim().toLowerCase();
  const extension = guessExtension(bare ?? null, fileName) ?? 'bin';
  const row: ReservedRow = {
    _id: newId(),
    company,
    file_type: FILE_TYPES.find((type: FileType) => type === contentType) ?? 'DOCUMENT',
    extension,
    mime_type: UNKNOWN_TYPE,
    file_name: readFileName(fileName) ?? `${contentType.toLowerCase()}.${extension}`,
    storage_key: newStorageKey(company),
    link: newLink(),
  };
  return { ...row, url: publicUrl(kit, row) };
}

/** Failure policy: a name that no record can have is left out, because a contact's file must not be lost for its name. */
function readFileName(fileName: string | null): string | null {
  try {
    return fileName === null ? null : checkFileName(fileName);
  } catch {
    return null;
  }
}
