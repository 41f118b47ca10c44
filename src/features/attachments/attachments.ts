/** Attachments: files that a company has uploaded, or that contacts have sent. */
import type { Readable } from 'node:stream';
import type { Kit } from '../../kit.ts';
import { isReferenced } from '../../platform/store/db.ts';
import { AppError, expectFound, unknownReference } from '../../platform/values/errors.ts';
import type { ByteRange } from '../../platform/store/files/store.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Acting, Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { savedName } from './file-names.ts';
import { publicUrl } from './links.ts';
import {
  deleteAttachment,
  findAttachment,
  listAttachments,
  type AttachmentCopy,
  type AttachmentRow,
} from './queries.ts';
import type { Attachment, AttachmentQuery, SignedUrl } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The record as callers see it. */
export function toAttachment(kit: Kit, row: AttachmentRow): Attachment {
  const { _id, company, extension, file_type, storage_key, bytes, sha256, facts, createdAt, updatedAt } = row;
  const external_url = publicUrl(kit, row);
  return {
    _id,
    company,
    extension,
    external_url,
    file_type,
    storage_key,
    meta: {
      mimeType: row.mime_type,
      ...(bytes === null ? {} : { size: bytes }),
      fileName: row.file_name,
      resourceUrl: external_url,
      ...(sha256 === null ? {} : { sha256 }),
      ...facts,
      ...describeCopies(kit, row),
    },
    createdAt,
    updatedAt,
  };
}

function describeCopies(
  kit: Kit,
  { company, copies }: AttachmentRow,
): Pick<Attachment['meta'], 'thumbnail' | 'converted'> {
  const { THUMBNAIL, CONVERTED } = copies;
  const describe = (copy: AttachmentCopy) => ({
    mimeType: copy.mime_type,
    size: copy.bytes,
    url: publicUrl(kit, { company, ...copy }),
  });
  const { width = 0, height = 0 } = THUMBNAIL?.facts ?? {};
  return {
    ...(THUMBNAIL && { thumbnail: { ...describe(THUMBNAIL), width, height } }),
    ...(CONVERTED && { converted: describe(CONVERTED) }),
  };
}

export async function readAttachment(kit: Kit, tenant: Tenant, id: string): Promise<Attachment> {
  return toAttachment(kit, expectFound(await findAttachment(tenant.read, id)));
}

export async function pageAttachments(kit: Kit, tenant: Tenant, query: AttachmentQuery): Promise<Page<Attachment>> {
  const filter = { file_type: query.file_type ?? null };
  const page = await listAttachments(tenant.read, filter, pageWindow('attachments', query));
  return { ...page, result: page.result.map((row) => toAttachment(kit, row)) };
}

// Signed links last long enough for a page that shows or plays the file, and a leaked link is soon useless.
const SIGNED_SECONDS = declareLimit(3_600, {
  topic: 'Files',
  what: 'Link to a file',
  unit: 'seconds',
  beyond: 'link expires; request a new one',
});

export async function signAttachment(kit: Kit, tenant: Tenant, id: string): Promise<SignedUrl> {
  return signFile(kit, expectFound(await findAttachment(tenant.read, id)));
}

/** Makes a link that opens the file for an hour. */
export function signFile(kit: Kit, { storage_key }: Pick<AttachmentRow, 'storage_key'>): SignedUrl {
  const { path, expiresAt } = kit.files.sign(storage_key, SIGNED_SECONDS);
  return { url: kit.config.PUBLIC_URL + path, expires_at: expiresAt.toISOString() };
}

/**
 * Removes an attachment to which no record refers. Foreign keys to attachments decide that, so a message that is sent at the same moment
 * counts as well.
 */
export async function removeAttachment(kit: Kit, tenant: Acting, id: string): Promise<Attachment> {
  const row = await tenant.tx(async (tx) => expectFound(await deleteAttachment(tx, id).catch(refuseNeeded)));
  for (const { storage_key } of [row, ...Object.values(row.copies)]) await removeFile(kit, storage_key);
  return toAttachment(kit, row);
}

function refuseNeeded(error: unknown): never {
  throw isReferenced(error) ? new AppError('ATTACHMENT_IN_USE') : error;
}

/** Removes a file that no record names any more. */
export async function removeFile(kit: Kit, key: string): Promise<void> {
  try {
    await kit.files.remove(key);
  } catch (error) {
    // Failure policy: the daily sweep removes the file.
    kit.log.warn({ err: error, storage_key: key }, 'attachments: a file is left to the sweep');
  }
}

/** Finds the attachment that a body names at this path. Throws UNKNOWN_REFERENCE for an unknown one and for that of another company. */
export async function expectAttachment(tx: TenantRead, id: string, path: string): Promise<AttachmentRow> {
  const row = await findAttachment(tx, id);
  if (!row) throw unknownReference(path);
  return row;
}

export { findAttachment } from './queries.ts';

export interface OpenedFile {
  /** The bytes of the whole file. */
  bytes: number;
  mimeType: string;
  fileName: string;
  /** The content of the file. The stream has to be read or destroyed. */
  body: Readable;
}

/** Opens the file of an attachment, or a part of it; null while the file is missing. */
export async function openAttachment(kit: Kit, row: AttachmentRow, range?: ByteRange): Promise<OpenedFile | null> {
  const content = row.state === 'READY' ? await kit.files.get(row.storage_key, range) : null;
  return content && { ...content, mimeType: row.mime_type, fileName: savedName(row.file_name, row.extension) };
}
