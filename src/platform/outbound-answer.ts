/** Collects the headers and the body of an outgoing call's response; the body in one buffer of limited size. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Reading {
  body: Buffer;
  length: number;
}

export const EMPTY = Buffer.alloc(0);

/** The first size of the buffer for a body of several chunks; it doubles from here. */
const FIRST_BUFFER_BYTES = 4096;

/** Appends a chunk to one growing buffer. With a list of chunks, a peer that sends single bytes would multiply the memory that it uses. */
export function append(reading: Reading, chunk: Buffer, maxBytes: number): void {
  // One byte more than `maxBytes` is kept, which shows that the body was longer.
  const taken = chunk.subarray(0, maxBytes + 1 - reading.length);
  const length = reading.length + taken.length;
  // Most responses have one chunk, which is used without a copy.
  if (reading.length === 0) reading.body = taken;
  else {
    if (length > reading.body.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * reading.body.length, FIRST_BUFFER_BYTES));
      reading.body.copy(grown, 0, 0, reading.length);
      reading.body = grown;
    }
    taken.copy(reading.body, reading.length);
  }
  reading.length = length;
}

export const joinedHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]));
