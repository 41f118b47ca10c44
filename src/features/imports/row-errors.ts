/** Errors of a sheet's rows: the record of the import shows the first ones, and a file has all of them. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { sendCsv } from '../../platform/http/download.ts';
import { csvLine } from '../../platform/work/sheets/csv.ts';
import { countBytes } from '../../platform/values/sizes.ts';
import { clipText } from '../../platform/values/words.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import type { ClaimedRun } from '../../platform/work/runs/queries.ts';
import { readImport, type ImportOwner } from './imports.ts';
import { findErrors, insertErrors } from './queries.ts';
import type { Fault, ReadRow } from './reading.ts';
import type { RowError } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// The most errors in the record of an import, and how much of the record they may take. No one reads more.
const MAX_SHOWN = declareLimit(100, {
  topic: 'Contacts',
  what: 'Import: `row_errors`',
  beyond: 'the others are in the file of failed rows',
});
const MAX_SHOWN_BYTES = 32 * 1024;
// The most errors of one row: the next import shows the remaining ones. A sheet has at most 100,000 rows, which bounds the file.
const MAX_OF_ROW = declareLimit(10, {
  topic: 'Contacts',
  what: 'Import: errors per row in the file of failed rows',
  beyond: 'the others are left out',
});
const MAX_LETTERS = 300;

interface FaultyRow extends Pick<ReadRow, 'number' | 'line'> {
  faults: Fault[];
  /** Whether the row was stored without what is wrong with it. */
  stored?: boolean;
}

/** Returns the errors of one row that are stored, with long texts shortened. */
export const toRowErrors = ({ number, line = number + 1, faults, stored = false }: FaultyRow): RowError[] =>
  faults.slice(0, MAX_OF_ROW).map(({ field, message, value = null }) => ({
    row: number,
    line,
    field: field && clipText(field, MAX_LETTERS),
    value,
    message: clipText(message, MAX_LETTERS),
    stored,
  }));

/** Stores the errors of a portion, and returns those that still fit into the import's record. */
export async function storeRowErrors(
  tx: TenantTx,
  { _id, processed, failures }: Pick<ClaimedRun, '_id' | 'processed' | 'failures'>,
  errors: RowError[],
): Promise<RowError[]> {
  const lines = errors.map(({ row, field, message, line = null, value = null, stored = false }) =>
    csvLine([row, field, message, line, value, stored]),
  );
  if (lines.length > 0) await insertErrors(tx, _id, processed, lines.join(''));
  return pickShown(failures, errors);
}

/** Picks the first errors that still fit next to those that the record shows. */
function pickShown(shown: object[], errors: RowError[]): RowError[] {
  let bytes = countBytes(shown);
  return errors
    .slice(0, Math.max(0, MAX_SHOWN - shown.length))
    .filter((error) => (bytes += countBytes(error)) <= MAX_SHOWN_BYTES);
}

/** Sends all errors of an import as a CSV. */
export async function sendImportErrors(
  tenant: Tenant,
  owner: ImportOwner,
  id: string,
  reply: FastifyReply,
): Promise<Readable> {
  await readImport(tenant, owner, id);
  return sendCsv(reply, `import-${id}-errors.csv`, writeErrorLines(tenant, id));
}

async function* writeErrorLines(tenant: Tenant, id: string): AsyncGenerator<string> {
  yield csvLine(['row', 'field', 'message', 'line', 'value', 'stored']);
  for (let after = -1, piece; (piece = await findErrors(tenant.read, id, after)) !== null;) {
    after = piece.position;
    yield piece.lines;
  }
}
