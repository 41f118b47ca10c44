/** Rows of a sheet that failed: the first of them in the import's record, all of them as a file. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { sendCsv } from '../../platform/download.ts';
import { csvLine } from '../../platform/sheets/csv.ts';
import type { Tenant, TenantTx } from '../../platform/tenant.ts';
import { readImport } from './imports.ts';
import { findErrors, insertErrors, type ImportOwner } from './queries.ts';
import type { Fault } from './reading.ts';
import type { Import, RowError } from './schemas.ts';

// As many as anybody reads; with the longest messages they come to less than 256 kB.
const MAX_SHOWN = 100;
// Whoever mends a row finds what is left with the next import. A sheet has 100,000 rows at most, so the file has its bound.
const MAX_OF_ROW = 10;
const MAX_LETTERS = 300;

/** What is told of one row. */
export const rowErrors = (row: number, faults: Fault[]): RowError[] =>
  faults
    .slice(0, MAX_OF_ROW)
    .map(({ field, message }) => ({ row, field: field && clip(field), message: clip(message) }));

/** Half of a letter of two is no letter. */
const clip = (text: string): string => text.slice(0, MAX_LETTERS).replace(/[\ud800-\udbff]$/, '');

/** Keeps the errors of a portion, and returns those that its record has room for. */
export async function keepErrors(tx: TenantTx, asked: Import, errors: RowError[]): Promise<RowError[]> {
  const lines = errors.map(({ row, field, message }) => csvLine([row, field, message]));
  if (lines.length > 0) await insertErrors(tx, asked._id, asked.processed, lines.join(''));
  return errors.slice(0, Math.max(0, MAX_SHOWN - asked.row_errors.length));
}

/** All rows that failed, as a CSV. */
export async function sendErrors(
  tenant: Tenant,
  owner: ImportOwner,
  id: string,
  reply: FastifyReply,
): Promise<Readable> {
  await readImport(tenant, owner, id);
  return sendCsv(reply, `import-${id}-errors.csv`, linesOf(tenant, id));
}

async function* linesOf(tenant: Tenant, id: string): AsyncGenerator<string> {
  yield csvLine(['row', 'field', 'message']);
  for (let after = -1, piece; (piece = await findErrors(tenant.read, id, after)) !== null;) {
    after = piece.position;
    yield piece.lines;
  }
}
