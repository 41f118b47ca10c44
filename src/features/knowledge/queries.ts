import { exec, many, maybeOne, one } from '../../platform/store/db.ts';
import type { FileType } from '../../platform/work/media/formats.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { ItemError, ItemLanguage, KnowledgeItem } from './schemas.ts';

const LISTED = `_id, name, type, file_type, description, language, tags, status, error, chunk_count, pages, pages_read,
  created_at as "createdAt", updated_at as "updatedAt",
  (select json_build_object('_id', a._id, 'company', a.company_id, 'storage_key', a.storage_key, 'link', a.link, 'extension', a.extension,
      'mime_type', a.mime_type, 'bytes', a.bytes, 'file_name', a.file_name)
    from attachments a where a.company_id = knowledge_items.company_id and a._id = knowledge_items.attachment_id) as file`;
const COLUMNS = `${LISTED}, content`;

/** An item as the list reads it: without its text. */
export interface ListedItemRow extends Pick<
  KnowledgeItem,
  '_id' | 'name' | 'type' | 'file_type' | 'language' | 'tags' | 'status' | 'chunk_count' | 'createdAt' | 'updatedAt'
> {
  description: string | null;
  error: ItemError | null;
  /** How many pages the file has, and how many of them were read; null before the first one, and without pages. */
  pages: number | null;
  pages_read: number | null;
  /** The file that the item was made from; null for one that was written here. */
  file: ItemFile | null;
}

export interface ItemFile {
  _id: string;
  company: string;
  storage_key: string;
  link: string;
  extension: string;
  mime_type: string;
  bytes: number | null;
  file_name: string;
}

export interface ItemRow extends ListedItemRow {
  /** The text of an AUTCL item; null for the other kinds. */
  content: string | null;
}

/** The fields of an AUTCL item that a caller can write. */
export interface AutclFields {
  name: string;
  content: string;
  description: string | null;
  language: ItemLanguage;
  tags: string[];
}

export function findItem(tx: TenantRead, id: string): Promise<ItemRow | null> {
  return maybeOne(tx, {
    name: 'knowledge.find',
    text: `select ${COLUMNS} from knowledge_items where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** A file of the knowledge base that can be sent to contacts. */
export interface SendableFile {
  name: string;
  description: string | null;
  attachment: string;
  contentType: FileType;
}

export function listMediaFiles(tx: TenantRead, items: string[] | null, most: number): Promise<SendableFile[]> {
  return many(tx, {
    name: 'knowledge.listMediaFiles',
    text: `select name, description, attachment_id as attachment, case when file_type in ('IMAGE', 'VIDEO', 'AUDIO') then file_type else 'DOCUMENT' end as "contentType"
      from knowledge_items
      where company_id = $1 and type = 'MEDIA' and status = 'READY' and attachment_id is not null
        and ($2::text[] is null or _id = any($2::text[]))
      order by created_at desc, _id desc limit $3`,
    values: [tx.companyId, items, most],
  });
}

export function lockItem(tx: TenantTx, id: string): Promise<ItemRow | null> {
  return maybeOne(tx, {
    name: 'knowledge.lock',
    text: `select ${COLUMNS} from knowledge_items where company_id = $1 and _id = $2 for no key update`,
    values: [tx.companyId, id],
  });
}

const toParameters = ({ name, content, description, language, tags }: AutclFields): unknown[] => [
  name,
  content,
  description,
  language,
  tags,
];

/** Stores an AUTCL item, which waits for a worker that prepares it for the search. */
export function insertAutcl(tx: TenantTx, id: string, fields: AutclFields): Promise<ItemRow> {
  return one(tx, {
    name: 'knowledge.insertAutcl',
    text: `insert into knowledge_items (company_id, _id, type, file_type, name, content, description, language, tags)
      values ($1, $2, 'KNOWLEDGE', 'AUTCL', $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    values: [tx.companyId, id, ...toParameters(fields)],
  });
}

export interface FileItemFields extends Pick<KnowledgeItem, 'name' | 'tags' | 'language' | 'type' | 'file_type'> {
  description: string | null;
  attachment: string;
}

/** Stores an item that was made from a file, which waits for a worker that prepares it for the search. */
export function insertFileItem(tx: TenantTx, id: string, fields: FileItemFields): Promise<ItemRow> {
  return one(tx, {
    name: 'knowledge.insertFileItem',
    text: `insert into knowledge_items (company_id, _id, name, description, tags, language, type, file_type, attachment_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${COLUMNS}`,
    values: [
      tx.companyId,
      id,
      fields.name,
      fields.description,
      fields.tags,
      fields.language,
      fields.type,
      fields.file_type,
      fields.attachment,
    ],
  });
}

const QUEUED = `status = 'PROCESSING', error = null, is_waiting = true, turn_at = now(), attempts = 0, held_until = null`;

/** Changes an AUTCL item. With `isSearched` something has changed that the search finds, so a worker prepares the item again. */
export function updateAutcl(
  tx: TenantTx,
  id: string,
  fields: AutclFields,
  { isSearched }: { isSearched: boolean },
): Promise<ItemRow> {
  return one(tx, {
    name: isSearched ? 'knowledge.updateSearched' : 'knowledge.update',
    text: `update knowledge_items set name = $3, content = $4, description = $5, language = $6, tags = $7, updated_at = now()
        ${isSearched ? `, revision = revision + 1, ${QUEUED}` : ''}
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, ...toParameters(fields)],
  });
}

/** Lets a worker try again to prepare an item. Null when the item is not ERROR. */
export function requeueItem(tx: TenantTx, id: string): Promise<ItemRow | null> {
  return maybeOne(tx, {
    name: 'knowledge.requeue',
    text: `update knowledge_items set ${QUEUED}, updated_at = now()
      where company_id = $1 and _id = $2 and status = 'ERROR' returning ${COLUMNS}`,
    values: [tx.companyId, id],
  });
}

/** Removes an item with its passages. */
export function deleteItem(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'knowledge.delete',
    text: 'delete from knowledge_items where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

/** Counts the passages that the searches of the company find more, or fewer, and notes that they find something else. */
export function adjustPassageCount(tx: TenantTx, passages: number): Promise<{ passages: number }> {
  return one(tx, {
    name: 'knowledge.adjustPassageCount',
    text: `insert into knowledge_libraries as l (company_id, passages, version) values ($1, $2, 1)
      on conflict (company_id) do update set passages = l.passages + excluded.passages, version = l.version + 1
      returning passages`,
    values: [tx.companyId, passages],
  });
}

export interface KnowledgeFilter {
  type: string | null;
  file_type: string | null;
  status: string | null;
  search: string | null;
}

const FILTER = `company_id = $1 and ($2::text is null or type = $2) and ($3::text is null or file_type = $3)
  and ($4::text is null or status = $4) and ($5::text is null or strpos(fold(name), fold($5)) > 0
    or strpos(fold(description), fold($5)) > 0 or exists (select from unnest(tags) tag where strpos(fold(tag), fold($5)) > 0))`;

export function listItems(
  tx: TenantRead,
  { type, file_type, status, search }: KnowledgeFilter,
  window: Window,
): Promise<Page<ListedItemRow>> {
  return listPage(tx, window, {
    name: 'knowledge',
    columns: LISTED,
    from: 'knowledge_items',
    filter: FILTER,
    values: [tx.companyId, type, file_type, status, search],
  });
}

/** Counts how many of these words are among the most frequent ones of each language. */
export function countFrequentWords(tx: TenantRead, words: string[]): Promise<Record<ItemLanguage, number>> {
  return one(tx, {
    name: 'knowledge.countFrequentWords',
    text: `select count(*) filter (where ts_lexize('pg_catalog.portuguese_stem', word) = '{}')::int as pt,
        count(*) filter (where ts_lexize('pg_catalog.english_stem', word) = '{}')::int as en,
        count(*) filter (where ts_lexize('pg_catalog.spanish_stem', word) = '{}')::int as es
      from unnest($1::text[]) as w (word)`,
    values: [words],
  });
}
