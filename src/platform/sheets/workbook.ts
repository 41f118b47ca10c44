/** Reads the parts of a workbook from its zip file, with limits on the unpacked size that are checked while it is unpacked. */
import { Readable } from 'node:stream';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import type { AppError } from '../errors.ts';
import { isBroken, sheetFault, type SheetSource } from './sheet.ts';

/** An open workbook; `part` returns the content of a part by its path, or null when the workbook has no such part. */
export interface Workbook {
  part(path: string, maxBytes?: number): AsyncGenerator<Buffer> | null;
  close(): void;
}

// An ordinary workbook has some twenty parts.
const MAX_ENTRIES = 200;
const MAX_INFLATED_BYTES = 500 * 1024 * 1024;
// The highest compression ratio: ordinary sheets are compressed to a tenth or a twentieth, zip bombs to a thousandth. Parts smaller than
// FREE_BYTES are not checked.
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

/** Opens a workbook. Throws when its zip directory shows that the file is broken or too large. */
export async function openWorkbook(source: SheetSource): Promise<Workbook> {
  const zip = await convertZipErrors(() =>
    fromRandomAccessReaderPromise(new SourceReader(source), source.bytes, { autoClose: false, lazyEntries: true }),
  );
  const entries = new Map<string, Entry>();
  try {
    if (zip.entryCount > MAX_ENTRIES) throw sheetFault(`has more than ${MAX_ENTRIES} parts`, 'TOO_LARGE');
    await convertZipErrors(async () => {
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
    });
    // Sizes are checked again while parts are read, but a file whose directory already shows a zip bomb is refused at once.
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
      return entry ? unpackPart(zip, entry, { maxBytes, count }) : null;
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

async function* unpackPart(
  zip: ZipFile,
  entry: Entry,
  { maxBytes, count }: { maxBytes: number; count(bytes: number): void },
): AsyncGenerator<Buffer> {
  const stream = await convertZipErrors(() => zip.openReadStreamPromise(entry));
  let bytes = 0;
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await convertZipErrors(() => pieces.next());
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

/** Runs `work` and converts errors of the zip library about a broken file to an AppError. */
async function convertZipErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Failure policy: messages of zlib and yauzl would not help the caller, who gets the error that the workbook is broken. Other errors
    // are thrown unchanged.
    throw isBroken(error) ? sheetFault('is a broken workbook') : error;
  }
}
