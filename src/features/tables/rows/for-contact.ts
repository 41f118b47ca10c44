/** Finds the rows of a table that one contact may learn of. */
import { pageWindow } from '../../../platform/store/paging.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { foldText } from '../../../platform/values/words.ts';
import type { RowData } from '../schemas.ts';
import { findRows } from './list.ts';

const MOST_WORDS = 4;

export interface RowsForContact {
  /** Null for rows that belong to no contact. */
  contact: string | null;
  search: string;
  limit: number;
}

/** Returns the values of the newest rows that have all words of the search: its four longest, because short ones are often articles. */
export async function findRowsForContact(
  read: TenantRead,
  tableId: string,
  { contact, search, limit }: RowsForContact,
): Promise<RowData[]> {
  const words = foldText(search).match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return [];
  const texts = words.toSorted((a, b) => b.length - a.length).slice(0, MOST_WORDS);
  const window = pageWindow(`rows:${tableId}`, { limit, skipCount: true, sort: '-createdAt' });
  const { rows } = await findRows(read, tableId, { texts, filters: [], reader: { contact } }, window);
  return rows.slice(0, limit).map(({ data }) => data);
}
