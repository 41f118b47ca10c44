/** Finds the rows of a table that one contact may learn of. */
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { foldText } from '../../../platform/values/words.ts';
import type { RowData } from '../schemas.ts';
import { findRowsWithWords } from './list-queries.ts';

const MOST_WORDS = 4;
// The index of the search knows groups of three letters.
const MIN_WORD = 3;

export interface RowsForContact {
  /** Null for rows that belong to no contact. */
  contact: string | null;
  search: string;
  limit: number;
}

/** Returns the values of rows that have all words of the search: its first four of three letters or more. */
export async function findRowsForContact(
  read: TenantRead,
  tableId: string,
  { contact, search, limit }: RowsForContact,
): Promise<RowData[]> {
  const words = (foldText(search).match(/[\p{L}\p{N}]+/gu) ?? []).filter(({ length }) => length >= MIN_WORD);
  if (words.length === 0) return [];
  const rows = await findRowsWithWords(read, tableId, { contact, words: words.slice(0, MOST_WORDS), limit });
  return rows.map(({ data }) => data);
}
