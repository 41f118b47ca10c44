/**
 * Sheets as people send them: CSV and XLSX, read as a stream of rows. Nothing that a file says of itself is believed; what is
 * wrong with it is an AppError about the part `file`. A file of a tenant is read in a child process only (sheets/readers.ts).
 */
import { readCsv } from './sheets/csv.ts';
import { isWanted, sheetFault, UNREAD, type SheetRow, type SheetSource, type WantedColumns } from './sheets/sheet.ts';
import { createBits, findFilled, holdTexts, type Bits } from './sheets/texts.ts';
import type { Workbook } from './sheets/workbook.ts';
import { readXlsx, type TextLookup } from './sheets/xlsx.ts';

export const SHEET_FORMATS = ['CSV', 'XLSX'] as const;
export type SheetFormat = (typeof SHEET_FORMATS)[number];

/** By its first bytes; its name and media type are only what the caller believes. Throws what is wrong with the file. */
export async function detectFormat(source: SheetSource): Promise<SheetFormat> {
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

/** What the first reading of a sheet finds out for the second one. */
export interface Survey {
  columns: WantedColumns;
  /** The shared texts of a workbook that cells of these columns name, and those that are not blank. */
  named: Bits;
  filled: Bits;
}

export const beginSurvey = (columns: WantedColumns): Survey => ({ columns, named: createBits(), filled: createBits() });

/** The rows of a CSV, or of the first sheet of a workbook, without their values: which there are, and whether all can be read. */
export function surveyRows(source: SheetSource, format: SheetFormat, survey: Survey): AsyncGenerator<SheetRow> {
  const noColumn = new Set<number>();
  if (format === 'CSV') return fromHeader(source, (watched) => readCsv(watched, noColumn));
  const prepare = async (workbook: Workbook): Promise<TextLookup> => {
    await findFilled(workbook, survey.filled);
    return (number, column) => {
      if (!survey.filled.has(number)) return null;
      if (isWanted(column, survey.columns)) survey.named.add(number);
      return UNREAD;
    };
  };
  return fromHeader(source, (watched) => readXlsx(watched, noColumn, prepare));
}

/** The rows of a sheet that was surveyed; the first that has any value is the header. */
export function readRows(source: SheetSource, format: SheetFormat, survey: Survey): AsyncGenerator<SheetRow> {
  if (format === 'CSV') return fromHeader(source, (watched) => readCsv(watched, survey.columns));
  const prepare = async (workbook: Workbook): Promise<TextLookup> => {
    const textAt = await holdTexts(workbook, survey.named);
    return (number, column) => {
      if (isWanted(column, survey.columns)) return textAt(number);
      return survey.filled.has(number) ? UNREAD : null;
    };
  };
  return fromHeader(source, (watched) => readXlsx(watched, survey.columns, prepare));
}

// The titles stand below at most so many rows of cells that turn out to be blank.
const HEAD_ROWS = 100;

/** The first row with a value. Of a workbook no texts but those of its first rows are looked up. */
export async function readHeader(source: SheetSource, format: SheetFormat): Promise<SheetRow> {
  const survey = beginSurvey(null);
  if (format === 'XLSX') {
    // Which texts are blank is not known here: any of these rows may be the first.
    const prepare = async (): Promise<TextLookup> => (number) => {
      survey.named.add(number);
      return UNREAD;
    };
    let rows = 0;
    for await (const _ of readXlsx(source, null, prepare)) if ((rows += 1) >= HEAD_ROWS) break;
  }
  // Leaving the loop ends the reading.
  for await (const row of readRows(source, format, survey)) return row;
  throw sheetFault('has no row with a value', 'EMPTY');
}

async function* fromHeader(
  source: SheetSource,
  read: (watched: SheetSource) => AsyncGenerator<SheetRow>,
): AsyncGenerator<SheetRow> {
  const watched = watch(source);
  let header: number | null = null;
  try {
    for await (const row of read(watched.source)) {
      header ??= row.number;
      yield { ...row, number: row.number - header };
    }
  } catch (error) {
    // Failure policy: a source that fails is no fault of the file, whatever the readers made of it.
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
