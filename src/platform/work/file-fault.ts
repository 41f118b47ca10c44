/** Errors about the contents of an uploaded file. */
import { AppError, invalid } from '../values/errors.ts';

/** Makes the error for a file that cannot be accepted: what is wrong with the part `file`. */
export const fileFault = (message: string, code = 'MALFORMED'): AppError => invalid('file', message, code);

/** The fault of a file whose reader has used up its memory. */
export const TOO_MUCH_MEMORY = 'takes too much memory to read';

/** Returns true for an error that a parser throws about a broken file; false for an AppError and for a defect of the platform. */
export const isBroken = (error: unknown): boolean =>
  !(error instanceof AppError) && !(error instanceof TypeError && !('code' in error));
