/** Imports of sheets: a request stores the sheet, and a worker reads its rows later. */
import type { ChildReaders } from '../../platform/work/child-readers.ts';
import { AppError, invalid, notFound, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import type { Upload } from '../../platform/http/multipart.ts';
import type { Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { ref } from '../../platform/values/schema.ts';
import { findSizeFault } from '../../platform/values/sizes.ts';
import { describeValues } from '../../platform/values/words.ts';
import type { RunKind } from '../../platform/work/runs/kind.ts';
import { findRuns } from '../../platform/work/runs/queries.ts';
import { addRun, expectFewOpen } from '../../platform/work/runs/runs.ts';
import { deleteChunks, IMPORT_COLUMNS, insertChunk, OF_CONTACTS } from './queries.ts';
import { readForCaller } from './reader.ts';
import { clipTitle } from './reading.ts';
import { Import, IMPORT_STATUSES, type ImportColumn, type ImportInput } from './schemas.ts';

/** Finds the field for a column by its title; undefined when no field has that name. */
export type FieldFinder = (title: string) => string | undefined;

// The number of imports of a company that may wait or run, with half a gigabyte of sheets together.
const MAX_OPEN = declareLimit(10, {
  topic: 'Contacts',
  what: 'Waiting and running imports, per company',
  beyond: '409',
});

export const IMPORTS: RunKind<Import> = {
  name: 'IMPORT',
  schema: ref(Import),
  statuses: IMPORT_STATUSES,
  // Only imports of contacts are listed.
  list: 'imports:CONTACTS:null',
  listed: OF_CONTACTS,
  columns: IMPORT_COLUMNS,
  mostOpen: MAX_OPEN,
  refuse: () => new AppError('IMPORTS_WAITING', `${MAX_OPEN} imports of the company are in progress`),
  crashed: {
    code: 'IMPORT_CRASHED',
    message: 'The sheet crashed the process that read it twice; what was already stored is kept',
  },
  clean: deleteChunks,
};

// What the titles of the columns may take of an import's record; its errors may take most of the rest.
const MAX_COLUMNS_BYTES = declareLimit(40 * 1024, {
  topic: 'Contacts',
  what: 'Sheet: all column titles',
  unit: 'bytes',
  beyond: '400',
});

// The time limit for reading the column titles, which takes less than a second; a caller gives up after so long.
const HEAD_MS = 40_000;

export type ImportOwner = Pick<ImportInput, 'kind' | 'table'>;

export interface ImportRequest extends ImportOwner {
  upload: Upload | null;
  mapping: Record<string, string> | undefined;
  find: FieldFinder;
  silent: boolean;
  update_existing: boolean;
  /** The country of phone numbers that are written without + or 00. */
  country: string | null;
  /** The tag that all contacts of the import get; null for none. */
  tag: string | null;
  /** The fields of which a column has to give one; null where none is needed. */
  identifying: readonly string[] | null;
  /** Aborted when the caller closes the connection. */
  signal: AbortSignal;
  /** Keeps what the rows go into from being removed until the transaction ends. Throws when it was removed since it was read. */
  hold?(tx: TenantTx): Promise<void>;
}

/** Stores a sheet and queues its import. Throws when the format, the columns or their mapping are wrong. */
export async function addImport(readers: ChildReaders, tenant: Tenant, asked: ImportRequest): Promise<Import> {
  const { kind, table, upload, silent, update_existing, country, tag, signal } = asked;
  if (!upload) throw invalid('file', 'is required', 'REQUIRED');
  // This first check spares reading a sheet that cannot be accepted.
  await expectFewOpen(tenant.read, IMPORTS);
  const sheet = { owner: tenant.companyId, source: upload, signal, waitMs: HEAD_MS };
  const { format, titles } = await readForCaller(readers, sheet, (reader) => reader.head());
  const columns = mapColumns(titles, asked);
  const { type, id, name } = tenant.principal;
  const { fileName: file_name, bytes } = upload;
  const input = { kind, table, file_name, format, bytes, columns, silent, update_existing, country, tag };
  return tenant.tx(async (tx) => {
    await asked.hold?.(tx);
    // This second check spares storing the sheet. The third one decides: it runs at the end under a lock, which is then held only for a
    // moment.
    await expectFewOpen(tx, IMPORTS);
    const _id = newId();
    let position = 0;
    for await (const piece of upload.read()) await insertChunk(tx, _id, position++, piece);
    return addRun(tx, IMPORTS, { _id, input, subjects: null, total: null, actor: { type, id, name }, origin: null });
  });
}

function mapColumns(
  header: string[],
  { mapping, find, identifying }: Pick<ImportRequest, 'mapping' | 'find' | 'identifying'>,
): ImportColumn[] {
  const columns = header.map((title) => ({ title, field: mapping ? null : (find(title) ?? null) }) as ImportColumn);
  for (const [title, name] of Object.entries(mapping ?? {})) {
    const path = `mapping.${clipTitle(title)}`;
    const [column, second] = columns.filter((each) => each.title === clipTitle(title.trim()));
    if (!column) throw invalid(path, 'is not a column of the sheet', 'UNKNOWN_COLUMN');
    if (second) throw invalid(path, 'is the title of two columns', 'DUPLICATE');
    const field = find(name);
    if (field === undefined) throw unknownReference(path);
    column.field = field;
  }
  const taken = columns.flatMap(({ field }) => field ?? []);
  if (taken.length === 0) throw invalid('file', 'has no column with the title of a field', 'UNKNOWN_COLUMN');
  if (identifying && !identifying.some((field) => taken.includes(field))) {
    const message = `has no column that identifies the records, so each import would create new ones: ${describeValues(identifying)}`;
    throw invalid(mapping ? 'mapping' : 'file', message, 'UNKNOWN_COLUMN');
  }
  const twice = taken.find((field, index) => taken.indexOf(field) !== index);
  if (twice !== undefined) throw invalid('file', `has two columns for ${twice}`, 'DUPLICATE');
  const fault = findSizeFault(columns, MAX_COLUMNS_BYTES);
  if (fault !== null) throw invalid('file', `has titles of columns whose list ${fault}`, 'TOO_LARGE');
  return columns;
}

export async function readImport({ read }: Tenant, { kind, table }: ImportOwner, id: string): Promise<Import> {
  const [found] = await findRuns(read, IMPORTS, [id]);
  if (found?.kind !== kind || found.table !== table) throw notFound();
  return found;
}

/** Reads imports of all kinds by their ids, for callers that follow their progress. Those that do not exist are left out. */
export const readImports = (read: TenantRead, ids: string[]): Promise<Import[]> => findRuns(read, IMPORTS, ids);
