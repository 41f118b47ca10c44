/** Uploads of attachments: a file is accepted by its contents, put into the store, and then gets its record. */
import { Readable } from 'node:stream';
import type { Kit } from '../../kit.ts';
import { toDatabaseProblem } from '../../platform/store/db.ts';
import { AppError, invalid } from '../../platform/values/errors.ts';
import { fileFault } from '../../platform/work/file-fault.ts';
import { newId } from '../../platform/values/ids.ts';
import { MAX_BYTES, nameFormat } from '../../platform/work/media/formats.ts';
import { inspectFile } from '../../platform/work/media/inspector.ts';
import type { Upload } from '../../platform/http/multipart.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import type { Acting, TenantTx } from '../../platform/store/tenant.ts';
import { acceptFile } from './accept.ts';
import { removeFile, toAttachment } from './attachments.ts';
import { putCopy } from './copies.ts';
import { checkFileName } from './file-names.ts';
import { newLink, newStorageKey } from './links.ts';
import {
  bindToRecord,
  insertAttachment,
  insertCopy,
  type AttachmentCopy,
  type AttachmentRow,
  type NewAttachment,
} from './queries.ts';
import type { Attachment, UploadForm } from './schemas.ts';

/** How much of a form's file is read. */
export const UPLOAD_LIMITS = {
  maxBytes: Math.max(...Object.values(MAX_BYTES)),
  narrow: (parts: ReadonlyMap<string, unknown>): number =>
    getOwnProperty(MAX_BYTES as Record<string, number>, String(parts.get('fileType'))) ?? UPLOAD_LIMITS.maxBytes,
};

export interface Uploaded {
  upload: Upload | null;
  body: Pick<UploadForm, 'fileType'>;
  /** Aborted when the caller closes the connection. */
  signal: AbortSignal;
  /** The file goes with the record that shows it, because no one has put it among the files of the company. */
  isBound?: true;
}

export async function uploadAttachment(kit: Kit, tenant: Acting, uploaded: Uploaded): Promise<Attachment> {
  const row = await takeFile(kit, tenant, uploaded, async (tx, stored) => {
    tx.created(stored._id);
    return stored;
  });
  return toAttachment(kit, row);
}

/** Puts a file into the store and stores its record. `record` stores what belongs to it in the same transaction. */
export async function takeFile<T>(
  kit: Kit,
  tenant: Acting,
  { upload, body, signal, isBound }: Uploaded,
  record: (tx: TenantTx, row: AttachmentRow) => Promise<T>,
): Promise<T> {
  if (!upload) throw invalid('file', 'is required', 'REQUIRED');
  const file_name = checkFileName(upload.givenName);
  if (upload.bytes === 0) throw fileFault('is empty', 'EMPTY');
  const owner = tenant.companyId;
  const reading = { owner, source: upload, signal };
  const { format: found, facts, thumbnail: made } = await inspectFile(kit.readers, reading, { thumbnail: true });
  const { format, fileType } = acceptFile(found, body.fileType, upload.bytes);
  const { extension, mimeType: mime_type } = nameFormat(format, file_name);
  const { bytes, sha256 } = upload;
  const storage_key = newStorageKey(owner);
  const content = Readable.from(upload.read(), { objectMode: false });
  await kit.files.put(storage_key, content, { maxBytes: bytes, contentType: mime_type, known: { bytes, sha256 } });
  const about = { file_type: fileType, extension, mime_type, file_name, bytes, sha256, facts };
  const attachment = { _id: newId(), storage_key, link: newLink(), ...about, uploaded_by: tenant.actor.id };
  const thumbnail = made ? await putCopy(kit, owner, made) : null;
  try {
    return await tenant.tx(async (tx) => {
      const row = await recordFile(tx, attachment, thumbnail);
      if (isBound) await bindToRecord(tx, row._id);
      return record(tx, row);
    });
  } catch (error) {
    // Failure policy: the files go when their record was certainly refused. When the outcome of the commit is unknown, the record may be
    // there, and if it is not, the sweep removes the files.
    if (isRefusal(error)) for (const file of [attachment, thumbnail]) if (file) await removeFile(kit, file.storage_key);
    throw error;
  }
}

async function recordFile(
  tx: TenantTx,
  attachment: NewAttachment,
  thumbnail: AttachmentCopy | null,
): Promise<AttachmentRow> {
  const row = await insertAttachment(tx, attachment);
  if (!thumbnail) return row;
  await insertCopy(tx, attachment._id, 'THUMBNAIL', thumbnail);
  return { ...row, copies: { THUMBNAIL: thumbnail } };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError || toDatabaseProblem(error)?.code === 'QUOTA_EXCEEDED';
