/** The interface of a store of files, which folder.ts and s3.ts implement. The caller has checked the keys. */
import type { Readable } from 'node:stream';
import type { WrittenFile } from '../temporary-file.ts';

export interface PutOptions {
  maxBytes: number;
  /** The media type of the file. Not every store keeps it, because the record of the file has it as well. */
  contentType: string;
  /** The length and the hash of the content, if they are known. A store that needs them first then reads the content only once. */
  known?: WrittenFile;
}

/** A part of a file: from `start` (inclusive) to `end` (exclusive), at least one byte. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface FileContent {
  /** The bytes of the whole file, also when only a part of it was requested. */
  bytes: number;
  body: Readable;
}

export interface FileStore {
  put(key: string, content: Readable, options: PutOptions): Promise<WrittenFile>;
  get(key: string, range?: ByteRange): Promise<FileContent | null>;
  remove(key: string): Promise<void>;
  /** Lists all files, those of one company after each other. */
  list(): AsyncGenerator<{ key: string; writtenMs: number }>;
  /** Removes what interrupted writes have left, if it was written before `olderThanMs`. */
  removeUnfinished(olderThanMs: number): Promise<void>;
}

/** Throws a RangeError when the range is not inside a file of this size. */
export function checkRange({ start, end }: ByteRange, bytes: number): void {
  if (!(Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start < end && end <= bytes))
    throw new RangeError(`bytes ${start} to ${end} are no part of a file of ${bytes}`);
}
