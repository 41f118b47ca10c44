/** Decides which files the API accepts, and which type of attachment they become. */
import { AppError, invalid } from '../../platform/values/errors.ts';
import { fileFault } from '../../platform/work/file-fault.ts';
import {
  FORMATS,
  listFormats,
  MAX_BYTES,
  type FileType,
  type Format,
  type FormatName,
} from '../../platform/work/media/formats.ts';

export interface Accepted {
  format: Format;
  fileType: FileType;
}

/** Returns the type of a file with these contents. Throws when its format, its size or the type that the caller gives does not fit. */
export function acceptFile(found: FormatName | null, given: FileType | undefined, bytes: number): Accepted {
  if (found === null) throw fileFault(`has none of the accepted formats: ${listFormats(given)}`, 'UNSUPPORTED_FORMAT');
  const format: Format = FORMATS[found];
  const fileType = given ?? format.fileTypes[0];
  if (!format.fileTypes.includes(fileType)) {
    const message = `does not match: the file is a ${format.name}, but this type accepts ${listFormats(fileType)}`;
    throw invalid('fileType', message, 'TYPE_MISMATCH');
  }
  if (bytes > MAX_BYTES[fileType]) throw tooLarge(fileType);
  return { format, fileType };
}

function tooLarge(fileType: FileType): AppError {
  const message = `is larger than ${MAX_BYTES[fileType]} bytes, the limit of this type (${fileType})`;
  return new AppError('BODY_TOO_LARGE', `file ${message}`, [{ path: 'file', code: 'TOO_LARGE', message }]);
}
