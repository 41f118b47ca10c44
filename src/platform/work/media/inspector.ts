/** Has files inspected by a child process. */
import type { ChildReaders } from '../child-readers.ts';
import type { Inspection, InspectionRequest } from './inspection.ts';
import { readInChild, type FileReading } from './reading.ts';

// The CPU time of an inspection. The longest text, of 100 MB, takes some two seconds, any other file with its thumbnail less than one.
const CPU_MS = 10_000;
// The time limit of an inspection; a caller does not wait longer for an answer.
const PATIENCE_MS = 40_000;

/** Throws an AppError about the part `file` when the file is broken, and UNAVAILABLE when its turn does not come soon. */
export function inspectFile(
  readers: ChildReaders,
  reading: FileReading,
  { thumbnail }: Pick<InspectionRequest, 'thumbnail'> = { thumbnail: false },
): Promise<Inspection> {
  const request: InspectionRequest = { inspect: reading.source.bytes, thumbnail };
  return readInChild(readers, reading, { request, cpuMs: CPU_MS, patienceMs: PATIENCE_MS });
}
