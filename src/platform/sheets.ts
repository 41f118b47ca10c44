/**
 * Reads uploaded spreadsheets (CSV and XLSX) as a stream of rows. Sizes that a file claims are not trusted. A faulty file throws an
 * AppError about the part `file`. Files of tenants are read in child processes only (sheets/readers.ts).
 */
import { readCsv } from './sheets/csv.ts';
import { isWanted, sheetFault, UNREAD, type SheetRow, type SheetSource, type WantedColumns } from './sheets/sheet.ts';
import { createBits, findFilled, holdTexts, type Bits } from './sheets/texts.ts';
import type { Workbook } from './sheets/workbook.ts';
import { readXlsx, type TextLookup } from './sheets/xlsx.ts';

export const SHEET_FORMATS = ['CSV', 'XLSX'] as const;
export type SheetFormat = (typeof SHEET_FORMATS)[number];

/**
 * Detects the format by the first bytes of the file, because its name and media type may be wrong. Throws when the file is not a
 * spreadsheet.
 */
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

/** What the first pass over a spreadsheet finds out for the second pass. */
export interface Survey {
  columns: WantedColumns;
  /** `named`: numbers of the shared texts that cells of these columns use. `filled`: numbers of the shared texts that are not blank. */
  named: Bits;
  filled: Bits;
}

export const beginSurvey = (columns: WantedColumns): Survey => ({ columns, named: createBits(), filled: createBits() });

/**
 * The first pass: reads the rows of a CSV, or of a workbook's first sheet, without their values, to count them and to check that all are
 * readable.
 */
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

/** The second pass: reads the rows with the values of the wanted columns. The first row with a value is the header. */
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

// The header is searched for in this many rows, because the rows above it may have cells that turn out to be blank.
const HEAD_ROWS = 100;

/** Reads the header, which is the first row with a value. Of a workbook only the texts of its first rows are loaded. */
export async function readHeader(source: SheetSource, format: SheetFormat): Promise<SheetRow> {
  const survey = beginSurvey(null);
  if (format === 'XLSX') {
    // Blank texts are not known yet, so any of these rows may turn out to be the first with a value.
    const prepare = async (): Promise<TextLookup> => (number) => {
      survey.named.add(number);
      return UNREAD;
    };
    let rows = 0;
    for await (const _ of readXlsx(source, null, prepare)) if ((rows += 1) >= HEAD_ROWS) break;
  }
  // Returning from the loop also ends the reading.
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
    // Failure policy: when reading the bytes failed, that error is thrown instead of a parser error, because the file is not at fault.
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
      // Failure policy: the error is remembered and thrown on, so that the parser stops.
      failure = error;
      throw error;
    }
  }
  return { source: { bytes: source.bytes, read }, failure: () => failure };
}
