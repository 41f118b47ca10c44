/** Reads files out of a ZIP archive, without anything but what a browser brings. */

export interface Archive {
  /** Returns the beginning of a file as text; "" when there is no such file. */
  read(path: string): Promise<string>;
}

/** What is read of a file: the first rows of a sheet stand at its beginning. */
const READ_LETTERS = 2_000_000;
/** The directory stands at the end, before a comment of at most 64 kB. */
const END_BYTES = 65_557;
const END_MARK = 0x06_05_4b_50;
const DEFLATED = 8;

interface Entry {
  /** Where the file begins in the archive. */
  at: number;
  bytes: number;
  isPacked: boolean;
}

export async function openArchive(file: Blob): Promise<Archive> {
  const entries = await readDirectory(file);
  return {
    read: async (path) => {
      const entry = entries.get(path);
      return entry ? readEntry(file, entry) : '';
    },
  };
}

const toView = async (blob: Blob): Promise<DataView> => new DataView(await blob.arrayBuffer());

async function readDirectory(file: Blob): Promise<Map<string, Entry>> {
  const end = await toView(file.slice(-END_BYTES));
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== END_MARK) at -= 1;
  if (at < 0) throw new Error('The file is no archive');
  const [bytes, start] = [end.getUint32(at + 12, true), end.getUint32(at + 16, true)];
  const directory = await toView(file.slice(start, start + bytes));
  const entries = new Map<string, Entry>();
  for (let place = 0; place + 46 <= directory.byteLength;) {
    const nameBytes = directory.getUint16(place + 28, true);
    const name = new TextDecoder().decode(new Uint8Array(directory.buffer, place + 46, nameBytes));
    entries.set(name, {
      at: directory.getUint32(place + 42, true),
      bytes: directory.getUint32(place + 20, true),
      isPacked: directory.getUint16(place + 10, true) === DEFLATED,
    });
    place += 46 + nameBytes + directory.getUint16(place + 30, true) + directory.getUint16(place + 32, true);
  }
  return entries;
}

async function readEntry(file: Blob, { at, bytes, isPacked }: Entry): Promise<string> {
  const head = await toView(file.slice(at, at + 30));
  const start = at + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const packed = file.slice(start, start + bytes).stream();
  const plain = isPacked ? packed.pipeThrough(new DecompressionStream('deflate-raw')) : packed;
  const reader = plain.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length < READ_LETTERS) {
    const { value, done } = await reader.read();
    if (done) return text;
    text += value;
  }
  await reader.cancel();
  return text;
}
