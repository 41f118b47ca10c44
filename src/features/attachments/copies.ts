/** Makes copies of attachments and stores them: files that the platform makes of their files. */
import { Readable } from 'node:stream';
import type { Kit } from '../../kit.ts';
import type { Converted } from '../../platform/work/media/conversions.ts';
import { FORMATS } from '../../platform/work/media/formats.ts';
import { removeFile } from './attachments.ts';
import { newLink, newStorageKey } from './links.ts';
import { insertCopy, type AttachmentCopy, type AttachmentRow, type CopyKind } from './queries.ts';

/** Puts a file into the store and returns it as the copy that the caller records. */
export async function putCopy(kit: Kit, company: string, { format, facts, data }: Converted): Promise<AttachmentCopy> {
  const { extension, mimeType: mime_type } = FORMATS[format];
  const storage_key = newStorageKey(company);
  const content = Readable.from([data], { objectMode: false });
  const written = await kit.files.put(storage_key, content, { maxBytes: data.length, contentType: mime_type });
  return { storage_key, link: newLink(), extension, mime_type, ...written, facts };
}

/** Stores the copy, unless another process has stored one, or the attachment was removed meanwhile. */
export async function storeCopy(
  kit: Kit,
  { _id, company }: AttachmentRow,
  kind: CopyKind,
  made: Converted,
): Promise<void> {
  const copy = await putCopy(kit, company, made);
  // A transaction of its own: the copy is the platform's work, so a request that needs it leaves its trail with what it stores itself.
  const isStored = await kit.database.tenantTx(company, (tx) => insertCopy(tx, _id, kind, copy));
  if (!isStored) await removeFile(kit, copy.storage_key);
}
