/**
 * Walks over many records go a portion at a time. A portion is bounded by how much its records weigh as well as by how many they are,
 * so that a statement over the largest ones ends in time, too, and a walk that is begun again comes further.
 */
import type { Database, TenantTx } from './tenant.ts';

/** Of what is written anew: each word of a record goes into the indexes again, at about a second for a megabyte on a small machine. */
export const REWRITTEN_BYTES = 512 * 1024;
/** Of what is read or deleted: some tenths of a second, and what a process holds of it meanwhile. */
export const READ_BYTES = 8 * 1024 * 1024;

interface Portion {
  /** Selects the _id, `bytes` and the columns of `order` of so many records as a portion may have. */
  rows: string;
  order: string;
  most: number;
}

/** Selects the _id of the first rows that weigh no more than `most` together; the first one in any case. */
export const selectPortion = ({ rows, order, most }: Portion): string =>
  `select _id from (
    select _id, sum(bytes) over (order by ${order} rows unbounded preceding) - bytes as before from (${rows}) near
  ) portion where before < ${most}`;

/** Each portion is a transaction of its own. Ends when one finds nothing left. */
export async function inPortions(
  database: Database,
  company: string,
  work: (tx: TenantTx) => Promise<number>,
): Promise<void> {
  while ((await database.tenantTx(company, work)) > 0);
}
