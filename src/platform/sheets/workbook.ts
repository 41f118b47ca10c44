/** The zip around a workbook: which of its parts are read, and how much may come out of them, counted while it comes out. */
import { Readable } from 'node:stream';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import type { AppError } from '../errors.ts';
import { isBroken, sheetFault, type SheetSource } from './sheet.ts';

/** A part of a workbook by its path; null when there is none. */
export interface Workbook {
  part(path: string, maxBytes?: number): AsyncGenerator<Buffer> | null;
  close(): void;
}

// A workbook has some twenty.
const MAX_ENTRIES = 200;
const MAX_INFLATED_BYTES = 500 * 1024 * 1024;
// Sheets shrink to a tenth or a twentieth; a bomb to a thousandth. Small parts may be anything.
const MAX_RATIO = 100;
const FREE_BYTES = 5 * 1024 * 1024;

class SourceReader extends RandomAccessReader {
  readonly #source: SheetSource;

  constructor(source: SheetSource) {
    super();
    this.#source = source;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#source.read(start, end), { objectMode: false });
  }
}

/** Throws what is wrong with the file, as far as its directory tells. */
export async function openWorkbook(source: SheetSource): Promise<Workbook> {
  const zip = await ownWords(() =>
    fromRandomAccessReaderPromise(new SourceReader(source), source.bytes, { autoClose: false, lazyEntries: true }),
  );
  const entries = new Map<string, Entry>();
  try {
    if (zip.entryCount > MAX_ENTRIES) throw sheetFault(`has more than ${MAX_ENTRIES} parts`, 'TOO_LARGE');
    await ownWords(async () => {
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
    });
    // Only what is read counts, but a directory that promises a bomb is not opened at all.
    for (const entry of entries.values()) checkSize(entry.uncompressedSize, entry.compressedSize);
    if (!entries.has('xl/workbook.xml')) throw sheetFault('is a zip, but no workbook', 'NOT_A_SHEET');
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
    part: (path, maxBytes = MAX_INFLATED_BYTES) => {
      const entry = entries.get(path.toLowerCase());
      return entry ? inflate(zip, entry, { maxBytes, count }) : null;
    },
    close: () => zip.close(),
  };
}

const tooLarge = (): AppError => sheetFault('is larger than 500 MB once it is unpacked', 'TOO_LARGE');

function checkSize(inflatedBytes: number, packedBytes: number): void {
  if (inflatedBytes > MAX_INFLATED_BYTES) throw tooLarge();
  if (inflatedBytes > FREE_BYTES && inflatedBytes > packedBytes * MAX_RATIO)
    throw sheetFault(`unpacks to more than ${MAX_RATIO} times its size`, 'TOO_LARGE');
}

async function* inflate(
  zip: ZipFile,
  entry: Entry,
  { maxBytes, count }: { maxBytes: number; count(bytes: number): void },
): AsyncGenerator<Buffer> {
  const stream = await ownWords(() => zip.openReadStreamPromise(entry));
  let bytes = 0;
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await ownWords(() => pieces.next());
      if (next.done) return;
      bytes += next.value.length;
      count(next.value.length);
      checkSize(bytes, entry.compressedSize);
      if (bytes > maxBytes) throw sheetFault(`has more in ${entry.fileName} than a sheet can use`, 'TOO_LARGE');
      yield next.value;
    }
  } finally {
    stream.destroy();
  }
}

/** What the reader of zips says of a broken file, in our words. */
async function ownWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Failure policy: zlib and yauzl speak of their own insides; the caller learns that the zip is broken. The rest goes on.
    throw isBroken(error) ? sheetFault('is a broken workbook') : error;
  }
}
