/** Knowledge: the texts that a company has written, in which agents and people find passages. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { AppError, expectFound, notFound } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { pageWindow, readSearch, type Page } from '../../platform/store/paging.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { removeAttachment } from '../attachments/attachments.ts';
import { publicUrl } from '../attachments/links.ts';
import { readOwningCompany } from '../companies/owning-company.ts';
import type { OwningCompany } from '../companies/schemas.ts';
import { detectLanguage } from './detect-language.ts';
import {
  adjustPassageCount,
  deleteItem,
  findItem,
  insertAutcl,
  listItems,
  lockItem,
  requeueItem,
  updateAutcl,
  type ItemFile,
  type ItemRow,
  type ListedItemRow,
} from './queries.ts';
import type {
  AutclCreate,
  AutclUpdate,
  ItemLanguage,
  KnowledgeItem,
  KnowledgeQuery,
  ListedKnowledgeItem,
} from './schemas.ts';

/** The queue of the loop that prepares items for the search. */
export const PREPARING = 'knowledge';

export async function createAutcl(kit: Kit, tenant: Tenant, input: AutclCreate): Promise<KnowledgeItem> {
  return tenant.tx(async (tx) => {
    const company = await readOwningCompany(tx);
    const { description = null, tags = [], name, content } = input;
    const language = input.language ?? (await detectLanguage(tx, `${name}\n${content}`)) ?? companyLanguage(company);
    const row = await insertAutcl(tx, newId(), { name, content, description, tags, language });
    tx.created(row._id);
    tx.wakes(PREPARING);
    return toItem(kit, row, company);
  });
}

export const companyLanguage = ({ general_config }: OwningCompany): ItemLanguage =>
  general_config.language === 'pt-BR' ? 'pt' : general_config.language;

export async function readItem(kit: Kit, tenant: Tenant, id: string): Promise<KnowledgeItem> {
  return toOwnedItem(kit, tenant.read, expectFound(await findItem(tenant.read, id)));
}

export async function pageItems(kit: Kit, tenant: Tenant, query: KnowledgeQuery): Promise<Page<ListedKnowledgeItem>> {
  const { type = null, file_type = null, status = null } = query;
  const filter = { type, file_type, status, search: readSearch(query) };
  const page = await listItems(tenant.read, filter, pageWindow('knowledge', query));
  const company = await readOwningCompany(tenant.read);
  return { ...page, result: page.result.map((row) => toListedItem(kit, row, company)) };
}

export async function updateAutclById(
  kit: Kit,
  tenant: Tenant,
  id: string,
  input: AutclUpdate,
): Promise<KnowledgeItem> {
  return tenant.tx(async (tx) => {
    const before = await lockItem(tx, id);
    if (!before || before.content === null) throw notFound();
    const { name, content, description, language, tags } = before;
    const fields = { name, content, description, language, tags };
    const next = { ...fields, ...input };
    if (isDeepStrictEqual(next, fields)) return toOwnedItem(kit, tx, before);
    const isSearched = next.name !== name || next.content !== content || next.language !== language;
    const row = await updateAutcl(tx, id, next, { isSearched });
    if (isSearched) tx.wakes(PREPARING);
    return toOwnedItem(kit, tx, row);
  });
}

/** Lets the platform try again to prepare an item that is ERROR; any other item stays as it is. */
export async function retryItem(kit: Kit, tenant: Tenant, id: string): Promise<KnowledgeItem> {
  return tenant.tx(async (tx) => {
    const row = expectFound(await lockItem(tx, id));
    const requeued = await requeueItem(tx, id);
    if (requeued) tx.wakes(PREPARING);
    return toOwnedItem(kit, tx, requeued ?? row);
  });
}

export async function removeItem(kit: Kit, tenant: Tenant, id: string): Promise<KnowledgeItem> {
  const item = await tenant.tx(async (tx) => {
    const row = expectFound(await lockItem(tx, id));
    await deleteItem(tx, id);
    await adjustPassageCount(tx, -row.chunk_count);
    return toOwnedItem(kit, tx, row);
  });
  if (item.attachment !== undefined) await removeFileOf(kit, tenant, item.attachment);
  return item;
}

/** Removes the file of a removed item, unless messages or other records need it. */
async function removeFileOf(kit: Kit, tenant: Tenant, attachment: string): Promise<void> {
  try {
    await removeAttachment(kit, tenant, attachment);
  } catch (error) {
    // Failure policy: a file that something else needs stays; any other failure leaves it among the company's attachments.
    if (error instanceof AppError && error.code === 'ATTACHMENT_IN_USE') return;
    kit.log.warn({ err: error, attachment }, 'knowledge: the file of a removed item is left');
  }
}

const toOwnedItem = async (kit: Kit, tx: TenantRead, row: ItemRow): Promise<KnowledgeItem> =>
  toItem(kit, row, await readOwningCompany(tx));

/** The record as callers see it. A field that is empty is left out. */
export function toItem(kit: Kit, { content, ...row }: ItemRow, company: OwningCompany): KnowledgeItem {
  return { ...toListedItem(kit, row, company), ...(content === null ? {} : { content }) };
}

function toListedItem(kit: Kit, row: ListedItemRow, company: OwningCompany): ListedKnowledgeItem {
  const { description, error, file, pages, pages_read, ...rest } = row;
  return {
    ...rest,
    company,
    ...(description === null ? {} : { description }),
    ...(error === null ? {} : { error }),
    ...(file === null ? {} : describeFile(kit, file, { pages, pages_read })),
  };
}

function describeFile(kit: Kit, file: ItemFile, { pages, pages_read }: Pick<ItemRow, 'pages' | 'pages_read'>) {
  const { _id: attachment, storage_key, mime_type: mimeType, bytes, file_name: fileName } = file;
  const progress = pages === null ? {} : { pages, pagesRead: pages_read ?? 0 };
  const meta = { mimeType, ...(bytes === null ? {} : { size: bytes }), fileName, ...progress };
  return { attachment, storage_key, file_url: publicUrl(kit, file), meta };
}
