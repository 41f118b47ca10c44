/** The main process reads a sheet through a child process, piece by piece, and finds the row that a child takes too long for. */
import type { ByteSource } from '../../platform/store/byte-source.ts';
import type { ChildReader, ChildReaders } from '../../platform/work/child-readers.ts';
import { ChildEnded } from '../../platform/work/child.ts';
import { fileFault } from '../../platform/work/file-fault.ts';
import type { SheetFormat } from '../../platform/work/sheets.ts';
import { AppError } from '../../platform/values/errors.ts';
import { MORE, type SheetHead, type ReadRow, type ReadingRequest } from './reading.ts';
import type { ImportColumn, SheetKind } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export interface ImportReader {
  head(): Promise<SheetHead>;
  /** Reads the whole sheet once before any row is imported. Returns how many rows have a value. */
  survey(format: SheetFormat, columns: ImportColumn[]): Promise<number>;
  /** Reads rows from a position on and checks them against `slots`. Returns none when there are no more. */
  portion(kind: SheetKind, slots: unknown, from: number): Promise<ReadRow[]>;
  close(): void;
}

// The number of rows that one transaction stores, which takes some tenths of a second, so other writes to the same contacts do not wait
// noticeably.
const PORTION = 1_000;
// The CPU time of a child for one answer. The child interrupts itself after half a second; the remaining time is for work that cannot be
// interrupted.
const ANSWER_MS = 10_000;
// The CPU time for one row; the largest valid row takes some milliseconds.
const ROW_MS = 2_000;
// The most slow rows of a sheet, because each slow row ends a child, and the next child has to read the sheet again.
const MAX_SLOW_ROWS = declareLimit(10, {
  topic: 'Contacts',
  what: 'Sheet: rows that take more than 2 s each to read',
  beyond: 'the import fails',
});

type ReadingStep = ReadingRequest extends infer R ? (R extends unknown ? Omit<R, 'sheet' | 'bytes'> : never) : never;

/** A sheet and the child process that reads it at the moment. */
interface OpenReading {
  open(): ChildReader;
  reader: ChildReader;
  /** The number of the sheet; a new child gets a new number, because the child keeps its state by this number. */
  sheet: number;
  bytes: number;
  /** The request that a new child has to answer before it can continue where the old one was. */
  surveyed: ReadingStep | null;
  slowRows: number;
  /** The slots that the child already knows. They may be megabytes, so they are sent once. */
  slots: unknown;
}

let sheets = 0;

/** `owner` is the company. An aborted signal ends the reading; no one waits for what is read without `isAwaited`. */
export function openImportReader(
  readers: ChildReaders,
  { owner, source, ...options }: { owner: string; source: ByteSource; signal?: AbortSignal; isAwaited: boolean },
): ImportReader {
  const open = (): ChildReader => readers.open(owner, source, options);
  const reading: OpenReading = {
    open,
    reader: open(),
    sheet: (sheets += 1),
    bytes: source.bytes,
    surveyed: null,
    slowRows: 0,
    slots: undefined,
  };
  return {
    head: () => askAboutSheet<SheetHead>(reading, { do: 'head' }),
    survey: (format, columns) => {
      reading.surveyed = { do: 'survey', format, columns };
      return askAboutSheet<number>(reading, reading.surveyed);
    },
    portion: async (kind, slots, from) => {
      try {
        return await askForPortion(reading, { kind, slots, from, most: PORTION });
      } catch (error) {
        if (!isLateError(error)) throw error;
        return findSlowRow(reading, { kind, slots, from });
      }
    },
    close: () => reading.reader.close(),
  };
}

/**
 * Reads a sheet for a caller who waits for at most `waitMs`. Throws UNAVAILABLE when the child that reads it dies, and when too many callers
 * wait.
 */
export async function readForCaller<A>(
  readers: ChildReaders,
  { waitMs, ...sheet }: { owner: string; source: ByteSource; signal: AbortSignal; waitMs: number },
  read: (reader: ImportReader) => Promise<A>,
): Promise<A> {
  const signal = AbortSignal.any([sheet.signal, AbortSignal.timeout(waitMs)]);
  const reader = openImportReader(readers, { ...sheet, signal, isAwaited: true });
  try {
    return await readers.admit(sheet.owner, () => read(reader));
  } catch (error) {
    // Failure policy: when the child died, the caller is asked to try again; any other error is answered as it is.
    if (!(error instanceof ChildEnded)) throw error;
    throw new AppError('UNAVAILABLE', 'The sheet could not be read right now', [], { 'retry-after': '5' });
  } finally {
    reader.close();
  }
}

async function askReader<A>(reading: OpenReading, step: ReadingStep, cpuMs = ANSWER_MS): Promise<A> {
  for (;;) {
    const request = { ...step, sheet: reading.sheet, bytes: reading.bytes };
    const answer = await reading.reader.ask<A | typeof MORE>(request, cpuMs);
    if (answer !== MORE) return answer as A;
  }
}

async function askForPortion(
  reading: OpenReading,
  { slots, ...portion }: { kind: SheetKind; slots: unknown; from: number; most: number },
  cpuMs = ANSWER_MS,
): Promise<ReadRow[]> {
  const newSlots = reading.slots === slots ? {} : { slots };
  reading.slots = slots;
  return askReader<ReadRow[]>(reading, { do: 'portion', ...portion, ...newSlots }, cpuMs);
}

/** Sends a request that concerns the whole sheet, so that a time-out is an error of the sheet and not of a row. */
async function askAboutSheet<A>(reading: OpenReading, step: ReadingStep): Promise<A> {
  try {
    return await askReader<A>(reading, step);
  } catch (error) {
    throw isLateError(error) ? makeTooSlowError() : error;
  }
}

/** Replaces a child that was killed by a new one. */
async function restartReader(reading: OpenReading): Promise<void> {
  reading.reader.close();
  reading.reader = reading.open();
  reading.sheet = sheets += 1;
  reading.slots = undefined;
  if (reading.surveyed) await askAboutSheet(reading, reading.surveyed);
}

/** Reads row by row up to the first one that takes too long. */
async function findSlowRow(
  reading: OpenReading,
  { kind, slots, from }: { kind: SheetKind; slots: unknown; from: number },
): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  await restartReader(reading);
  while (rows.length < PORTION) {
    const place = { from: from + rows.length, most: 1 };
    try {
      const [row] = await askForPortion(reading, { kind, slots, ...place }, ROW_MS);
      if (!row) return rows;
      rows.push(row);
    } catch (error) {
      if (!isLateError(error)) throw error;
      reading.slowRows += 1;
      if (reading.slowRows > MAX_SLOW_ROWS) throw makeTooSlowError();
      await restartReader(reading);
      const [row] = await askAboutSheet<ReadRow[]>(reading, { do: 'portion', kind: null, ...place });
      return row ? [...rows, { ...row, faults: [{ field: null, message: 'takes too long to read' }] }] : rows;
    }
  }
  return rows;
}

const isLateError = (error: unknown): boolean => error instanceof ChildEnded && error.why === 'LATE';

const makeTooSlowError = (): Error => fileFault('takes too long to read', 'TOO_SLOW');
