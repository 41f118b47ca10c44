/** What readers of sheets have in common. */
import { setImmediate } from 'node:timers/promises';
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

// Parsed in one go, which nobody else's request should notice.
const STEP_BYTES = 16 * 1024;

/**
 * Pieces in small steps, with a turn for everybody else before each: a piece that is at hand would otherwise be read without a
 * pause, and all other requests would wait until the whole sheet is parsed.
 */
export async function* inSteps(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    for (let start = 0; start < piece.length; start += STEP_BYTES) {
      await setImmediate();
      yield piece.subarray(start, start + STEP_BYTES);
    }
  }
}

export const sheetFault = (message: string, code = 'MALFORMED'): AppError => invalid('file', message, code);

/** What a parser throws about a broken file; an error of our own, and a defect of ours, stay what they are. */
export const isBroken = (error: unknown): boolean =>
  !(error instanceof AppError) && !(error instanceof TypeError && !('code' in error));
