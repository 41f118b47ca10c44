/** Uploads of knowledge items: the file becomes an attachment, and the item names it. */
import type { Kit } from '../../kit.ts';
import { invalid } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import {
  findTextFormat,
  FORMATS,
  TEXT_FORMATS,
  type Format,
  type TextFormat,
} from '../../platform/work/media/formats.ts';
import type { Upload } from '../../platform/http/multipart.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { takeFile, UPLOAD_LIMITS } from '../attachments/upload.ts';
import { readOwningCompany } from '../companies/owning-company.ts';
import { companyLanguage, toItem, PREPARING } from './knowledge.ts';
import { insertFileItem } from './queries.ts';
import type { ItemFileType, ItemType, KnowledgeItem, KnowledgeUpload } from './schemas.ts';

/** A file of an item has as many bytes as that of an attachment. */
export const MOST_FILE = { maxBytes: UPLOAD_LIMITS.maxBytes };

interface Uploaded {
  upload: Upload | null;
  body: Omit<KnowledgeUpload, 'file'>;
  /** Aborted when the caller closes the connection. */
  signal: AbortSignal;
}

export function uploadItem(kit: Kit, tenant: Tenant, { upload, body, signal }: Uploaded): Promise<KnowledgeItem> {
  return takeFile(kit, tenant, { upload, body: {}, signal }, async (tx, { _id: attachment, extension, file_name }) => {
    const company = await readOwningCompany(tx);
    const format = findTextFormat(extension);
    const { name = file_name.slice(0, MAX_NAME), description = null, tags = [] } = body;
    const { type = format ? 'KNOWLEDGE' : 'MEDIA', language = companyLanguage(company) } = body;
    checkType(type, format);
    const fields = { name, description, tags, language, type, file_type: findFileType(extension), attachment };
    const row = await insertFileItem(tx, newId(), fields);
    tx.created(row._id);
    tx.wakes(PREPARING);
    return toItem(kit, row, company);
  });
}

// The most characters of the name of an item.
const MAX_NAME = 200;

function checkType(type: ItemType, format: TextFormat | null): void {
  if (type === 'MEDIA' || format) return;
  throw invalid(
    'type',
    `is KNOWLEDGE, which takes ${TEXT_FORMATS.join(', ')} only; other files are MEDIA`,
    'TYPE_MISMATCH',
  );
}

function findFileType(extension: string): ItemFileType {
  const format = Object.values<Format>(FORMATS).find((each) => each.extension === extension);
  if (format === FORMATS.PDF) return 'PDF';
  if (format === FORMATS.DOCX) return 'DOCX';
  const [type] = format?.fileTypes ?? ['DOCUMENT'];
  return type === 'IMAGE' || type === 'VIDEO' || type === 'AUDIO' ? type : 'DOCUMENT';
}
