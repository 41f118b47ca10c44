/** A JSON text that contains a file as base64 is sent as a stream, so that a file of any size passes through a little memory. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { StreamedBody } from './outbound-stream.ts';

/** Stands for the file. It is random and only in this process, so no other text is taken for it. */
export const FILE_HERE = randomUUID();

interface JsonFile {
  bytes: number;
  open(): Promise<Readable> | Readable;
}

/** The length of bytes in base64. */
const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3);

/** Returns the JSON text of a value in which FILE_HERE stands once. */
export function streamJson(value: object, file: JsonFile): StreamedBody {
  const [head = Buffer.alloc(0), tail = Buffer.alloc(0)] = JSON.stringify(value)
    .split(FILE_HERE)
    .map((part) => Buffer.from(part));
  const stream = Readable.from(joinParts(head, file, tail), { objectMode: false });
  return { stream, bytes: head.length + base64Length(file.bytes) + tail.length };
}

async function* joinParts(head: Buffer, file: JsonFile, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  let rest = Buffer.alloc(0);
  for await (const chunk of (await file.open()) as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.concat([rest, Buffer.from(chunk as Buffer)]);
    // Three bytes are four characters, so the bytes beyond a multiple of three wait for the next chunk.
    const whole = bytes.length - (bytes.length % 3);
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole));
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'));
  yield tail;
}
