/** Has files converted by a child process. */
import type { ChildReaders } from '../child-readers.ts';
import type { Converted } from './conversions.ts';
import type { ConversionRequest } from './convert.ts';
import { readInChild, type FileReading } from './reading.ts';

// The CPU time of a conversion. The slowest one, of a PNG of 16 bits with as many points as are converted, takes four seconds.
const CPU_MS = 10_000;
// With the upload and the calls of the message that waits for the file, this stays below the 60 s of a request.
const PATIENCE_MS = 12_000;

/** Throws an AppError about the part `file` when the file cannot be converted, and UNAVAILABLE when its turn does not come soon. */
export function convertFile(
  readers: ChildReaders,
  reading: FileReading,
  format: ConversionRequest['format'],
): Promise<Converted> {
  const request: ConversionRequest = { convert: reading.source.bytes, format };
  return readInChild(readers, reading, { request, cpuMs: CPU_MS, patienceMs: PATIENCE_MS });
}
