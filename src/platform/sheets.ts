/**
 * Sheets as people send them: CSV and XLSX, read as a stream of rows. Nothing that a file says of itself is believed; what is
 * wrong with it is an AppError about the part `file`.
 */
import { readCsv } from './sheets/csv.ts';
import { sheetFault, type SheetRow, type SheetSource } from './sheets/sheet.ts';
import { readXlsx } from './sheets/xlsx.ts';

export const SHEET_FORMATS = ['CSV', 'XLSX'] as const;
export type SheetFormat = (typeof SHEET_FORMATS)[number];

// Wider than any table here; a stray cell at the far right must not make every row as wide.
const MAX_COLUMNS = 500;

/** By its first bytes; its name and media type are only what the caller believes. Throws what is wrong with the file. */
export async function formatOf(source: SheetSource): Promise<SheetFormat> {
  if (source.bytes === 0) throw sheetFault('is empty', 'EMPTY');
  const head = await readAll(source, 0, Math.min(4_096, source.bytes));
  const starts = (hex: string): boolean => head.subarray(0, hex.length / 2).toString('hex') === hex;
  if (starts('504b0304')) return 'XLSX';
  if (starts('d0cf11e0'))
    throw sheetFault('is an old or a protected workbook; save it as .xlsx or .csv without a password', 'NOT_A_SHEET');
  if (starts('fffe') || starts('feff')) throw sheetFault('is not UTF-8; save it as CSV in UTF-8', 'ENCODING');
  if (head.includes(0) || /^(%PDF|\x89PNG|GIF8|\xff\xd8\xff)/.test(head.toString('latin1')))
    throw sheetFault('is neither CSV nor XLSX', 'NOT_A_SHEET');
  return 'CSV';
}

async function readAll(source: SheetSource, start: number, end: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of source.read(start, end)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The rows of a CSV, or of the first sheet of a workbook; the first that has any value is the header. */
export async function* readRows(source: SheetSource, format: SheetFormat): AsyncGenerator<SheetRow> {
  const watched = watch(source);
  const rows = format === 'CSV' ? readCsv(watched.source) : readXlsx(watched.source);
  let header: number | null = null;
  try {
    for await (const { number, cells } of rows) {
      if (cells.every((cell) => cell === null)) continue;
      if (cells.length > MAX_COLUMNS) throw sheetFault(`has more than ${MAX_COLUMNS} columns`, 'TOO_LARGE');
      header ??= number;
      yield { number: number - header, cells };
    }
  } catch (error) {
    // Failure policy: a database that is away is no fault of the file, whatever the readers made of it.
    throw watched.failure() ?? error;
  }
  if (header === null) throw sheetFault('has no row with a value', 'EMPTY');
}

function watch(source: SheetSource): { source: SheetSource; failure(): unknown } {
  let failure: unknown;
  async function* read(start: number, end: number): AsyncGenerator<Buffer> {
    try {
      yield* source.read(start, end);
    } catch (error) {
      // Failure policy: noted, and passed on to the reader, which has to stop.
      failure = error;
      throw error;
    }
  }
  return { source: { bytes: source.bytes, read }, failure: () => failure };
}
