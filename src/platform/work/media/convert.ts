/** Converts a file to a format that networks take. This runs in child processes; converter.ts is the part that runs in their parent. */
import type { Supply } from '../child.ts';
import { suppliedSource } from '../child-work.ts';
import { readBytes } from '../../store/byte-source.ts';
import { convertPicture } from './convert-picture.ts';
import { convertRecording } from './convert-recording.ts';
import type { Converted, Convertible } from './conversions.ts';

/** The request for a conversion: how many bytes the file has, and its format. */
export interface ConversionRequest {
  convert: number;
  format: Convertible;
}

export const isConversion = (request: object): request is ConversionRequest => 'convert' in request;

/** Throws an AppError about the part `file` when the file is broken or too large to convert. */
export async function answerConversion(
  { convert: bytes, format }: ConversionRequest,
  supply: Supply,
): Promise<Converted> {
  const source = suppliedSource(bytes, supply);
  if (format === 'M4A' || format === 'WEBM') return convertRecording(source, format);
  return convertPicture(await readBytes(source, 0, bytes), format);
}
