import { exec, maybeOne, many, one, oneValue } from '../../platform/store/db.ts';
import type { FileType } from '../../platform/work/media/formats.ts';
import type { Facts } from '../../platform/work/media/inspect.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';

const COLUMNS = `_id, company_id as company, file_type, extension, mime_type, file_name, storage_key, link, state, failure, bytes, sha256,
  facts, created_at as "createdAt", updated_at as "updatedAt",
  (select coalesce(json_object_agg(kind, json_build_object('storage_key', c.storage_key, 'link', c.link, 'extension', c.extension,
      'mime_type', c.mime_type, 'bytes', c.bytes, 'sha256', c.sha256, 'facts', c.facts)), '{}')
    from attachment_copies c where c.company_id = attachments.company_id and c.attachment_id = attachments._id) as copies`;

/** A file that the platform has made of the file of an attachment. */
export interface AttachmentCopy {
  storage_key: string;
  link: string;
  extension: string;
  mime_type: string;
  bytes: number;
  sha256: string;
  facts: Facts;
}

/** CONVERTED: the same in a format that networks take · THUMBNAIL: a small picture of the picture. */
export type CopyKind = 'CONVERTED' | 'THUMBNAIL';

export interface AttachmentRow {
  _id: string;
  company: string;
  file_type: FileType;
  extension: string;
  mime_type: string;
  file_name: string;
  storage_key: string;
  link: string;
  state: 'READY' | 'PENDING' | 'FAILED';
  failure: string | null;
  /** Null until the file is there. */
  bytes: number | null;
  sha256: string | null;
  facts: Facts;
  copies: Partial<Record<CopyKind, AttachmentCopy>>;
  createdAt: string;
  updatedAt: string;
}

export function findAttachment(tx: TenantRead, id: string): Promise<AttachmentRow | null> {
  return maybeOne(tx, {
    name: 'attachments.find',
    text: `select ${COLUMNS} from attachments where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function findByLink(tx: TenantRead, link: string): Promise<AttachmentRow | null> {
  return maybeOne(tx, {
    name: 'attachments.findByLink',
    text: `select ${COLUMNS} from attachments where company_id = $1 and link = $2`,
    values: [tx.companyId, link],
  });
}

export function findByKey(tx: TenantRead, key: string): Promise<AttachmentRow | null> {
  return maybeOne(tx, {
    name: 'attachments.findByKey',
    text: `select ${COLUMNS} from attachments where company_id = $1 and storage_key = $2`,
    values: [tx.companyId, key],
  });
}

/** Finds the attachment that has a copy with this link. */
export function findByCopyLink(tx: TenantRead, link: string): Promise<AttachmentRow | null> {
  return maybeOne(tx, {
    name: 'attachments.findByCopyLink',
    text: `select ${COLUMNS} from attachments where company_id = $1
      and _id = (select attachment_id from attachment_copies where company_id = $1 and link = $2)`,
    values: [tx.companyId, link],
  });
}

/** Which of these keys of the store belong to an attachment or a copy. */
export async function findKnownKeys(tx: TenantRead, keys: readonly string[]): Promise<string[]> {
  const rows = await many<{ storage_key: string }>(tx, {
    name: 'attachments.findKnownKeys',
    text: `select storage_key from attachments where company_id = $1 and storage_key = any($2)
      union all select storage_key from attachment_copies where company_id = $1 and storage_key = any($2)`,
    values: [tx.companyId, keys],
  });
  return rows.map((row) => row.storage_key);
}

/** A file that is in the store already. */
export type NewAttachment = Omit<
  AttachmentRow,
  'company' | 'state' | 'failure' | 'copies' | 'createdAt' | 'updatedAt'
> & {
  /** The user or the key. */
  uploaded_by: string | null;
};

export function insertAttachment(tx: TenantTx, attachment: NewAttachment): Promise<AttachmentRow> {
  return one(tx, {
    name: 'attachments.insert',
    text: `insert into attachments
        (company_id, _id, file_type, extension, mime_type, file_name, storage_key, link, bytes, sha256, facts, uploaded_by)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning ${COLUMNS}`,
    values: [
      tx.companyId,
      attachment._id,
      attachment.file_type,
      attachment.extension,
      attachment.mime_type,
      attachment.file_name,
      attachment.storage_key,
      attachment.link,
      attachment.bytes,
      attachment.sha256,
      attachment.facts,
      attachment.uploaded_by,
    ],
  });
}

/** Counts those of these attachments that this user or key has uploaded. */
export function countUploads(tx: TenantRead, ids: readonly string[], uploader: string): Promise<number> {
  return oneValue(tx, {
    name: 'attachments.countUploads',
    text: `select count(*)::int as count from attachments where company_id = $1 and _id = any($2) and uploaded_by = $3`,
    values: [tx.companyId, ids, uploader],
  });
}

/** Lets an attachment go with the record that shows it. */
export function bindToRecord(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'attachments.bindToRecord',
    text: 'update attachments set is_brought = true where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

type Stored = Pick<NewAttachment, 'mime_type' | 'extension' | 'bytes' | 'sha256' | 'facts'>;

/** Says what the file of a record is, once the file is in the store. Null when the record no longer waits for it. */
export function fillAttachment(tx: TenantTx, id: string, stored: Stored): Promise<AttachmentRow | null> {
  return maybeOne(tx, {
    name: 'attachments.fill',
    text: `update attachments set state = 'READY', mime_type = $3, extension = $4, bytes = $5, sha256 = $6, facts = $7, updated_at = now()
      where company_id = $1 and _id = $2 and state = 'PENDING' returning ${COLUMNS}`,
    values: [tx.companyId, id, stored.mime_type, stored.extension, stored.bytes, stored.sha256, stored.facts],
  });
}

/** Records a copy whose file is in the store. False when the attachment is gone, or has such a copy already. */
export async function insertCopy(tx: TenantTx, id: string, kind: CopyKind, copy: AttachmentCopy): Promise<boolean> {
  const { storage_key, link, extension, mime_type, bytes, sha256, facts } = copy;
  const inserted = await exec(tx, {
    name: 'attachments.insertCopy',
    text: `insert into attachment_copies
        (company_id, attachment_id, kind, storage_key, link, extension, mime_type, bytes, sha256, facts)
      select company_id, _id, $3, $4, $5, $6, $7, $8, $9, $10 from attachments where company_id = $1 and _id = $2 for key share
      on conflict (company_id, attachment_id, kind) do nothing`,
    values: [tx.companyId, id, kind, storage_key, link, extension, mime_type, bytes, sha256, facts],
  });
  return inserted > 0;
}

/** Removes the record. Fails with a foreign key's error while another record names it. */
export function deleteAttachment(tx: TenantTx, id: string): Promise<AttachmentRow | null> {
  return maybeOne(tx, {
    name: 'attachments.delete',
    text: `delete from attachments where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id],
  });
}

export interface AttachmentFilter {
  file_type: FileType | null;
}

export function listAttachments(
  tx: TenantRead,
  { file_type }: AttachmentFilter,
  window: Window,
): Promise<Page<AttachmentRow>> {
  return listPage(tx, window, {
    name: 'attachments',
    variant: file_type === null ? '' : '.ofType',
    columns: COLUMNS,
    from: 'attachments',
    filter: file_type === null ? 'company_id = $1' : 'company_id = $1 and file_type = $2',
    values: file_type === null ? [tx.companyId] : [tx.companyId, file_type],
  });
}
