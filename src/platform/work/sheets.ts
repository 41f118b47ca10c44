/**
 * Reads uploaded spreadsheets (CSV and XLSX) as a stream of rows. Sizes that a file claims are not trusted. A faulty file throws an
 * AppError about the part `file`. Files of tenants are read in child processes only (child-readers.ts).
 */
import { readBytes, type ByteSource } from '../store/byte-source.ts';
import { fileFault } from './file-fault.ts';
import { readCsv } from './sheets/csv.ts';
import { isWanted, UNREAD, type SheetRow, type WantedColumns } from './sheets/sheet.ts';
import { createBitSet, findFilledTexts, loadTexts, readTexts, type BitSet } from './sheets/texts.ts';
import { openWorkbook, type Workbook } from './sheets/workbook.ts';
import { readXlsx, type TextLookup } from './sheets/xlsx.ts';

export const SHEET_FORMATS = ['CSV', 'XLSX'] as const;
export type SheetFormat = (typeof SHEET_FORMATS)[number];

/**
 * Detects the format by the first bytes of the file, because its name and media type may be wrong. Throws when the file is not a
 * spreadsheet.
 */
export async function detectFormat(source: ByteSource): Promise<SheetFormat> {
  if (source.bytes === 0) throw fileFault('is empty', 'EMPTY');
  const head = await readBytes(source, 0, Math.min(4_096, source.bytes));
  const starts = (hex: string): boolean => head.subarray(0, hex.length / 2).toString('hex') === hex;
  if (starts('504b0304')) return 'XLSX';
  if (starts('d0cf11e0'))
    throw fileFault('is an old or a protected workbook; save it as .xlsx or .csv without a password', 'NOT_A_SHEET');
  if (starts('fffe') || starts('feff')) throw fileFault('is not UTF-8; save it as CSV in UTF-8', 'ENCODING');
  if (head.includes(0) || /^(%PDF|\x89PNG|GIF8|\xff\xd8\xff)/.test(head.toString('latin1')))
    throw fileFault('is neither CSV nor XLSX', 'NOT_A_SHEET');
  return 'CSV';
}

/** The results of the first pass over a spreadsheet, which the second pass needs. */
export interface SheetSurvey {
  columns: WantedColumns;
  /**
   * `named` holds the numbers of the shared texts that cells of these columns use, and `filled` the numbers of the shared texts that are
   * not blank.
   */
  named: BitSet;
  filled: BitSet;
}

export const beginSurvey = (columns: WantedColumns): SheetSurvey => ({
  columns,
  named: createBitSet(),
  filled: createBitSet(),
});

/**
 * Makes the first pass over a spreadsheet: reads the rows of a CSV, or of the first sheet of a workbook, without their values, to count
 * them and to check that all are readable.
 */
export function surveyRows(source: ByteSource, format: SheetFormat, survey: SheetSurvey): AsyncGenerator<SheetRow> {
  const noColumn = new Set<number>();
  if (format === 'CSV') return numberFromHeader(source, (watched) => readCsv(watched, noColumn));
  const prepare = async (workbook: Workbook): Promise<TextLookup> => {
    await findFilledTexts(workbook, survey.filled);
    return (number, column) => {
      if (!survey.filled.has(number)) return null;
      if (isWanted(column, survey.columns)) survey.named.add(number);
      return UNREAD;
    };
  };
  return numberFromHeader(source, (watched) => readXlsx(watched, noColumn, prepare));
}

/**
 * Makes the second pass over a spreadsheet: reads the rows with the values of the wanted columns. The first row with a value is the header.
 */
export function readRows(source: ByteSource, format: SheetFormat, survey: SheetSurvey): AsyncGenerator<SheetRow> {
  if (format === 'CSV') return numberFromHeader(source, (watched) => readCsv(watched, survey.columns));
  const prepare = async (workbook: Workbook): Promise<TextLookup> => {
    const textAt = await loadTexts(workbook, survey.named);
    return (number, column) => {
      if (isWanted(column, survey.columns)) return textAt(number);
      return survey.filled.has(number) ? UNREAD : null;
    };
  };
  return numberFromHeader(source, (watched) => readXlsx(watched, survey.columns, prepare));
}

// What a small spreadsheet unpacks to at most. Its rows and texts take some three times as much memory, half of the heap of a child process.
const SMALL_BYTES = 16 * 1024 * 1024;

/** Returns true for a spreadsheet whose rows may be kept in memory all at once. */
export async function isSmallSheet(source: ByteSource, format: SheetFormat): Promise<boolean> {
  if (format === 'CSV') return source.bytes <= SMALL_BYTES;
  const watched = recordReadFailure(source);
  try {
    const workbook = await openWorkbook(watched.source);
    workbook.close();
    return workbook.inflatedBytes <= SMALL_BYTES;
  } catch (error) {
    // Failure policy: as in numberFromHeader().
    throw watched.failure() ?? error;
  }
}

/** Reads the rows of a small spreadsheet in a single pass, with the values of the wanted columns. The first row with a value is the header. */
export function readSmallSheet(
  source: ByteSource,
  format: SheetFormat,
  columns: WantedColumns,
): AsyncGenerator<SheetRow> {
  if (format === 'CSV') return numberFromHeader(source, (watched) => readCsv(watched, columns));
  const prepare = async (workbook: Workbook): Promise<TextLookup> => {
    const texts = await readTexts(workbook);
    return (number, column) => {
      const text = texts[number] ?? null;
      return text === null || isWanted(column, columns) ? text : UNREAD;
    };
  };
  return numberFromHeader(source, (watched) => readXlsx(watched, columns, prepare));
}

// The number of rows in which the header is searched, because the rows above it may have cells that turn out to be blank.
const HEAD_ROWS = 100;

/** Reads the header, which is the first row with a value. Of a workbook only the texts of its first rows are loaded. */
export async function readHeader(source: ByteSource, format: SheetFormat): Promise<SheetRow> {
  const survey = beginSurvey(null);
  if (format === 'XLSX') {
    // At this point no blank text is known, so any of these rows may turn out to be the first with a value.
    const prepare = async (): Promise<TextLookup> => (number) => {
      survey.named.add(number);
      return UNREAD;
    };
    let rows = 0;
    for await (const _ of readXlsx(source, null, prepare)) if ((rows += 1) >= HEAD_ROWS) break;
  }
  // Returning from the loop also ends the reading.
  for await (const row of readRows(source, format, survey)) return row;
  throw fileFault('has no row with a value', 'EMPTY');
}

async function* numberFromHeader(
  source: ByteSource,
  read: (watched: ByteSource) => AsyncGenerator<SheetRow>,
): AsyncGenerator<SheetRow> {
  const watched = recordReadFailure(source);
  let header: number | null = null;
  try {
    for await (const row of read(watched.source)) {
      header ??= row.number;
      yield { ...row, number: row.number - header };
    }
  } catch (error) {
    // Failure policy: when reading the bytes failed, that error is thrown instead of the error of the parser, because the file is not at
    // fault.
    throw watched.failure() ?? error;
  }
  if (header === null) throw fileFault('has no row with a value', 'EMPTY');
}

function recordReadFailure(source: ByteSource): { source: ByteSource; failure(): unknown } {
  let failure: unknown;
  async function* read(start: number, end: number): AsyncGenerator<Buffer> {
    try {
      yield* source.read(start, end);
    } catch (error) {
      // Failure policy: the error is remembered and thrown again, so that the parser stops.
      failure = error;
      throw error;
    }
  }
  return { source: { bytes: source.bytes, read }, failure: () => failure };
}
