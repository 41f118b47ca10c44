/**
 * Opens zips that come from outside. Sizes that a zip claims are checked when it is opened, and again while a part is unpacked, so that no
 * zip can unpack to more than its limits.
 */
import { Readable } from 'node:stream';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import type { ByteSource } from '../store/byte-source.ts';
import type { AppError } from '../values/errors.ts';
import { fileFault, isBroken } from './file-fault.ts';
import { declareLimit } from '../values/limits.ts';

export interface OpenZip {
  /** What all parts unpack to, as the zip claims. A part that unpacks to something else is refused while it is read. */
  inflatedBytes: number;
  /** Whether the zip has a part with this path; capital letters make no difference. */
  has(path: string): boolean;
  /** Unpacks a part by its path; null when the zip has no such part. */
  part(path: string, maxBytes?: number): AsyncGenerator<Buffer> | null;
  close(): void;
}

export interface ZipKind {
  /** What errors call such a file: "workbook". */
  name: string;
  maxParts: number;
}

const MAX_INFLATED_BYTES = declareLimit(500 * 1024 * 1024, {
  topic: 'Contacts',
  what: 'Sheet: unpacked size of an XLSX file',
  unit: 'bytes',
  beyond: 'the sheet is refused',
});
// The highest compression ratio: ordinary sheets are compressed to a tenth or a twentieth, zip bombs to a thousandth. Parts smaller than
// FREE_BYTES are not checked.
const MAX_RATIO = declareLimit(100, {
  topic: 'Contacts',
  what: 'Sheet: compression ratio of an XLSX file that unpacks to more than 5 MB',
  beyond: 'the sheet is refused',
});
const FREE_BYTES = 5 * 1024 * 1024;

class SourceReader extends RandomAccessReader {
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    super();
    this.#source = source;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#source.read(start, end), { objectMode: false });
  }
}

/** Opens a zip. Throws when its directory shows that the file is broken or too large. */
export async function openZip(source: ByteSource, kind: ZipKind): Promise<OpenZip> {
  const zip = await convertErrors(kind, () =>
    fromRandomAccessReaderPromise(new SourceReader(source), source.bytes, { autoClose: false, lazyEntries: true }),
  );
  const entries = new Map<string, Entry>();
  try {
    if (zip.entryCount > kind.maxParts) throw fileFault(`has more than ${kind.maxParts} parts`, 'TOO_LARGE');
    await convertErrors(kind, async () => {
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
    });
    // Sizes are checked again while parts are read, but a file whose directory already shows a zip bomb is refused at once.
    for (const entry of entries.values()) checkSize(entry.uncompressedSize, entry.compressedSize);
  } catch (error) {
    zip.close();
    throw error;
  }
  let inflated = 0;
  const count = (bytes: number): void => {
    inflated += bytes;
    if (inflated > MAX_INFLATED_BYTES) throw tooLarge();
  };
  return {
    inflatedBytes: [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0),
    has: (path) => entries.has(path.toLowerCase()),
    part: (path, maxBytes = MAX_INFLATED_BYTES) => {
      const entry = entries.get(path.toLowerCase());
      return entry ? unpackPart({ zip, kind, count }, entry, maxBytes) : null;
    },
    close: () => zip.close(),
  };
}

const tooLarge = (): AppError => fileFault('is larger than 500 MB once it is unpacked', 'TOO_LARGE');

function checkSize(inflatedBytes: number, packedBytes: number): void {
  if (inflatedBytes > MAX_INFLATED_BYTES) throw tooLarge();
  if (inflatedBytes > FREE_BYTES && inflatedBytes > packedBytes * MAX_RATIO)
    throw fileFault(`unpacks to more than ${MAX_RATIO} times its size`, 'TOO_LARGE');
}

async function* unpackPart(
  { zip, kind, count }: { zip: ZipFile; kind: ZipKind; count(bytes: number): void },
  entry: Entry,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const stream = await convertErrors(kind, () => zip.openReadStreamPromise(entry));
  let bytes = 0;
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await convertErrors(kind, () => pieces.next());
      if (next.done) return;
      bytes += next.value.length;
      count(next.value.length);
      checkSize(bytes, entry.compressedSize);
      if (bytes > maxBytes) throw fileFault(`has more in ${entry.fileName} than a ${kind.name} can use`, 'TOO_LARGE');
      yield next.value;
    }
  } finally {
    stream.destroy();
  }
}

/** Runs `work` and converts errors of the zip library about a broken file to an AppError. */
async function convertErrors<T>({ name }: ZipKind, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Failure policy: messages of zlib and yauzl would not help the caller, who gets the error that the file is broken. Other errors are
    // thrown unchanged.
    throw isBroken(error) ? fileFault(`is a broken ${name}`) : error;
  }
}
