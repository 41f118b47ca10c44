/** Has pictures that a model can look at made by a child process. */
import type { ChildReaders } from '../child-readers.ts';
import { readInChild, type FileReading } from './reading.ts';
import type { ViewRequest } from './view.ts';

// The slowest picture that is accepted takes some seconds to decode.
const CPU_MS = 10_000;
const PATIENCE_MS = 12_000;

/** Returns a picture as an upright JPG of a limited size. Throws an AppError about the part `file` when it cannot be decoded. */
export async function viewPicture(readers: ChildReaders, reading: FileReading): Promise<Buffer> {
  const request: ViewRequest = { view: reading.source.bytes };
  return Buffer.from(
    await readInChild<Uint8Array>(readers, reading, { request, cpuMs: CPU_MS, patienceMs: PATIENCE_MS }),
  );
}
