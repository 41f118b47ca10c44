/** The parent's side of reading a sheet: asks the child piece by piece, and finds the row that a child can not get past. */
import { ChildEnded } from '../../platform/child.ts';
import type { SheetFormat } from '../../platform/sheets.ts';
import type { SheetReader, SheetReaders } from '../../platform/sheets/readers.ts';
import { sheetFault, type SheetSource } from '../../platform/sheets/sheet.ts';
import { MORE, type Head, type ReadRow, type ReadingRequest } from './reading.ts';
import type { ImportColumn, ImportKind } from './schemas.ts';

export interface ImportReader {
  head(): Promise<Head>;
  /** Reads all of it once, before anything is taken from it. Answers how many rows have a value. */
  survey(format: SheetFormat, columns: ImportColumn[]): Promise<number>;
  /** The rows from a place on, checked against `slots`; none when there are no more. */
  portion(kind: ImportKind, slots: unknown, from: number): Promise<ReadRow[]>;
  close(): void;
}

// A transaction of some tenths of a second: nobody waits noticeably for the names that it holds.
const PORTION = 1_000;
// CPU time of one answer. Half a second is what it takes by its own clock; the rest is for what can not be interrupted.
const ANSWER_MS = 10_000;
// The largest sound row takes some milliseconds.
const ROW_MS = 2_000;
// Each costs a child, which reads the sheet anew.
const MAX_SLOW_ROWS = 10;

type Step = ReadingRequest extends infer R ? (R extends unknown ? Omit<R, 'sheet' | 'bytes'> : never) : never;

/** One sheet with the child that reads it at the moment. */
interface Reading {
  open(): SheetReader;
  reader: SheetReader;
  /** A child has read another sheet before. */
  sheet: number;
  bytes: number;
  /** What a new child has to do before it can go on where the old one was. */
  surveyed: Step | null;
  slowRows: number;
  /** What the child has been told that values have to fit: it may be megabytes, and is told once. */
  slots: unknown;
}

let sheets = 0;

/** `owner`: the company. A signal that is aborted ends the reading. */
export function openImportReader(
  readers: SheetReaders,
  { owner, source, signal }: { owner: string; source: SheetSource; signal?: AbortSignal },
): ImportReader {
  const open = (): SheetReader => readers.open(owner, source, signal);
  const reading: Reading = {
    open,
    reader: open(),
    sheet: (sheets += 1),
    bytes: source.bytes,
    surveyed: null,
    slowRows: 0,
    slots: undefined,
  };
  return {
    head: () => askWhole<Head>(reading, { do: 'head' }),
    survey: (format, columns) => {
      reading.surveyed = { do: 'survey', format, columns };
      return askWhole<number>(reading, reading.surveyed);
    },
    portion: async (kind, slots, from) => {
      try {
        return await askPortion(reading, { kind, slots, from, most: PORTION });
      } catch (error) {
        if (!isLate(error)) throw error;
        return findSlowRow(reading, { kind, slots, from });
      }
    },
    close: () => reading.reader.close(),
  };
}

async function ask<A>(reading: Reading, step: Step, cpuMs = ANSWER_MS): Promise<A> {
  for (;;) {
    const request = { ...step, sheet: reading.sheet, bytes: reading.bytes };
    const answer = await reading.reader.ask<A | typeof MORE>(request, cpuMs);
    if (answer !== MORE) return answer as A;
  }
}

async function askPortion(
  reading: Reading,
  { slots, ...portion }: { kind: ImportKind; slots: unknown; from: number; most: number },
  cpuMs = ANSWER_MS,
): Promise<ReadRow[]> {
  const told = reading.slots === slots ? {} : { slots };
  reading.slots = slots;
  return ask<ReadRow[]>(reading, { do: 'portion', ...portion, ...told }, cpuMs);
}

/** Asks for what no single row is to blame for. */
async function askWhole<A>(reading: Reading, step: Step): Promise<A> {
  try {
    return await ask<A>(reading, step);
  } catch (error) {
    throw isLate(error) ? tooSlow() : error;
  }
}

/** A new child in the place of one that was killed. */
async function restart(reading: Reading): Promise<void> {
  reading.reader.close();
  reading.reader = reading.open();
  reading.sheet = sheets += 1;
  reading.slots = undefined;
  if (reading.surveyed) await askWhole(reading, reading.surveyed);
}

/** Row by row, up to the first that is not read in time. */
async function findSlowRow(
  reading: Reading,
  { kind, slots, from }: { kind: ImportKind; slots: unknown; from: number },
): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  await restart(reading);
  while (rows.length < PORTION) {
    const place = { from: from + rows.length, most: 1 };
    try {
      const [row] = await askPortion(reading, { kind, slots, ...place }, ROW_MS);
      if (!row) return rows;
      rows.push(row);
    } catch (error) {
      if (!isLate(error)) throw error;
      reading.slowRows += 1;
      if (reading.slowRows > MAX_SLOW_ROWS) throw tooSlow();
      await restart(reading);
      const [row] = await askWhole<ReadRow[]>(reading, { do: 'portion', kind: null, ...place });
      return row ? [...rows, { ...row, faults: [{ field: null, message: 'takes too long to read' }] }] : rows;
    }
  }
  return rows;
}

const isLate = (error: unknown): boolean => error instanceof ChildEnded && error.why === 'LATE';

const tooSlow = (): Error => sheetFault('takes too long to read', 'TOO_SLOW');
