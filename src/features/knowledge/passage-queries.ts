/** Statements that replace the passages of an item, and their vectors. */
import { exec, many, maybeOne } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { ItemLanguage, PageProgress } from './schemas.ts';

/** Which passages: those of an item as it was at this revision. */
export interface ItemRevision {
  item: string;
  revision: number;
}

/** Locks an item and returns how many passages searches find of it. Null when it is gone, or was changed after this revision. */
export function lockRevision(
  tx: TenantTx,
  { item, revision }: ItemRevision,
): Promise<{ chunk_count: number; embedding_model: string | null } | null> {
  return maybeOne(tx, {
    name: 'knowledge.lockRevision',
    text: `select chunk_count, embedding_model from knowledge_items where company_id = $1 and _id = $2 and revision = $3 for no key update`,
    values: [tx.companyId, item, revision],
  });
}

/** Notes how many pages of the file of an item were read, unless the item was changed meanwhile. */
export function updateProgress(
  tx: TenantTx,
  { item, revision }: ItemRevision,
  { read, pages }: PageProgress,
): Promise<number> {
  return exec(tx, {
    name: 'knowledge.updateProgress',
    text: `update knowledge_items set pages_read = $4, pages = $5 where company_id = $1 and _id = $2 and revision = $3`,
    values: [tx.companyId, item, revision, read, pages],
  });
}

export interface StoredPassage {
  /** One a line, the outermost first. */
  headings: string;
  content: string;
}

export function insertPassages(
  tx: TenantTx,
  { item, revision }: ItemRevision,
  language: ItemLanguage,
  passages: StoredPassage[],
): Promise<number> {
  return exec(tx, {
    name: 'knowledge.insertPassages',
    text: `insert into knowledge_chunks (company_id, item_id, revision, position, language, headings, content)
      select $1, $2, $3, p.place - 1, $4, p.headings, p.content
      from unnest($5::text[], $6::text[]) with ordinality as p (headings, content, place)`,
    values: [
      tx.companyId,
      item,
      revision,
      language,
      passages.map(({ headings }) => headings),
      passages.map(({ content }) => content),
    ],
  });
}

/** The vectors of some passages that follow each other, as float32 with the lowest byte first. */
export interface StoredVectors {
  firstPosition: number;
  dimensions: number;
  vectors: Buffer;
}

export function insertVectors(
  tx: TenantTx,
  { item, revision }: ItemRevision,
  model: string,
  rows: StoredVectors[],
): Promise<number> {
  return exec(tx, {
    name: 'knowledge.insertVectors',
    text: `insert into knowledge_vectors (company_id, item_id, revision, model, first_position, dimensions, vectors)
      select $1, $2, $3, $4, v.first_position, v.dimensions, v.vectors
      from unnest($5::int[], $6::int[], $7::bytea[]) as v (first_position, dimensions, vectors)`,
    values: [
      tx.companyId,
      item,
      revision,
      model,
      rows.map(({ firstPosition }) => firstPosition),
      rows.map(({ dimensions }) => dimensions),
      rows.map(({ vectors }) => vectors),
    ],
  });
}

/** Makes the passages of this revision those that searches find, and deletes the older ones. */
export function publishRevision(
  tx: TenantTx,
  { item, revision }: ItemRevision,
  { passages, model }: { passages: number; model: string },
): Promise<number> {
  return exec(tx, {
    name: 'knowledge.publishRevision',
    text: `with old_passages as (
        delete from knowledge_chunks where company_id = $1 and item_id = $2 and revision < $3
      ), old_vectors as (
        delete from knowledge_vectors where company_id = $1 and item_id = $2 and revision < $3
      )
      update knowledge_items set indexed_revision = $3, chunk_count = $4, embedding_model = $5, status = 'READY', error = null,
        is_waiting = false, attempts = 0, held_until = null, updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, item, revision, passages, model],
  });
}

/** Reads the passages of an item in their order. */
export function listPassages(tx: TenantRead, { item, revision }: ItemRevision): Promise<StoredPassage[]> {
  return many(tx, {
    name: 'knowledge.listPassages',
    text: `select headings, content from knowledge_chunks where company_id = $1 and item_id = $2 and revision = $3 order by position`,
    values: [tx.companyId, item, revision],
  });
}

/** Deletes the vectors of an item that another model has made, and notes that this one makes them now. */
export function replaceModel(tx: TenantTx, item: string, model: string): Promise<number> {
  return exec(tx, {
    name: 'knowledge.replaceModel',
    text: `with old_vectors as (delete from knowledge_vectors where company_id = $1 and item_id = $2 and model <> $3)
      update knowledge_items set embedding_model = $3, is_waiting = false, attempts = 0, held_until = null
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, item, model],
  });
}
