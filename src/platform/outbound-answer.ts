/** What is read of an answer: its headers as they are told, and its body in one buffer that is bounded. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Reading {
  body: Buffer;
  length: number;
}

export const EMPTY = Buffer.alloc(0);

/** For an answer of several chunks; it doubles from here. */
const FIRST_BUFFER_BYTES = 4096;

/** Into one growing buffer: a list of chunks would let a peer that sends single bytes multiply the memory it holds. */
export function append(reading: Reading, chunk: Buffer, maxBytes: number): void {
  // One byte more than wanted tells that there is more.
  const taken = chunk.subarray(0, maxBytes + 1 - reading.length);
  const length = reading.length + taken.length;
  // Most answers are one chunk: it is kept as it is.
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
