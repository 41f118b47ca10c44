/** What readers of sheets have in common. */
import { AppError, invalid } from '../errors.ts';

/** Where a sheet's bytes are: an upload, or its pieces in the database. */
export interface SheetSource {
  bytes: number;
  /** From `start` until before `end`. */
  read(start: number, end: number): AsyncIterable<Buffer>;
}

/** Dates are texts: 2026-11-20, or 2026-11-20T09:30:00. What is empty is null. */
export type Cell = string | number | boolean | null;

export interface SheetRow {
  /** 0 is the header, 1 the first row after it; rows without any value are counted and left out. */
  number: number;
  cells: Cell[];
}

export const sheetFault = (message: string, code = 'MALFORMED'): AppError => invalid('file', message, code);

/** What a parser throws about a broken file; an error of our own, and a defect of ours, stay what they are. */
export const isBroken = (error: unknown): boolean =>
  !(error instanceof AppError) && !(error instanceof TypeError && !('code' in error));
