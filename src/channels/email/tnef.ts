/** Takes files out of `winmail.dat`, in which Outlook packs those of a mail (MS-OXTNEF). Foreign bytes: each loop goes forward and has an end. */
import { decodeUnclear } from './charset.ts';

const SIGNATURE = 0x22_3e_9f_78;
/** The most attributes, and the most properties of a file, that are read. */
const MAX_ENTRIES = 10_000;

/** The attributes that make a file: the first one begins it. */
const FILE_BEGINS = 0x0006_9002;
const FILE_TITLE = 0x0001_8010;
const FILE_DATA = 0x0006_800f;
const FILE_PROPERTIES = 0x0006_9005;

/** The properties of a file, by their ids (MS-OXPROPS). */
const SHORT_NAME = 0x37_04;
const LONG_NAME = 0x37_07;
const MEDIA_TYPE = 0x37_0e;

const STRING = 0x1e;
const UNICODE = 0x1f;
/** The types whose values say how long they are. */
const LONG_TYPES = new Set([STRING, UNICODE, 0x01_02, 0x0d]);
/** The bytes of the other types; all that are not listed have four. */
const SIZES = new Map([
  [0x05, 8],
  [0x06, 8],
  [0x07, 8],
  [0x14, 8],
  [0x40, 8],
  [0x48, 16],
]);
const MANY = 0x10_00;
const NAMED = 0x80_00;

export interface PackedFile {
  fileName: string | undefined;
  mimeType: string | undefined;
  content: Buffer;
}

/** Whether a part of a mail is such a pack. */
export const isTnef = (mimeType: string, fileName: string | undefined): boolean =>
  /^application\/(?:vnd\.)?ms-tnef$/.test(mimeType) || fileName?.toLowerCase() === 'winmail.dat';

/** Returns the files in the pack, or an empty list if the pack is damaged. */
export function unpackTnef(pack: Buffer): PackedFile[] {
  const files: Partial<PackedFile>[] = [];
  for (const { id, data } of listAttributes(pack)) {
    if (id === FILE_BEGINS) files.push({});
    const file = files.at(-1);
    if (!file) continue;
    if (id === FILE_TITLE) file.fileName ??= readText(data);
    if (id === FILE_DATA) file.content = data;
    if (id === FILE_PROPERTIES) addProperties(file, data);
  }
  return files.filter((file): file is PackedFile => (file.content?.length ?? 0) > 0);
}

function* listAttributes(pack: Buffer): Generator<{ id: number; data: Buffer }> {
  const reader = new Reader(pack);
  if (reader.readNumber() !== SIGNATURE) return;
  reader.take(2);
  for (let count = 0; count < MAX_ENTRIES && !reader.isOver; count += 1) {
    reader.take(1);
    const id = reader.readNumber();
    const data = reader.take(reader.readNumber());
    reader.take(2);
    // The last file may be cut off.
    if (!reader.isBroken) yield { id, data };
  }
}

function addProperties(file: Partial<PackedFile>, data: Buffer): void {
  const names = new Map<number, string>();
  const reader = new Reader(data);
  const most = Math.min(reader.readNumber(), MAX_ENTRIES);
  for (let count = 0; count < most && !reader.isOver; count += 1) {
    const [kind, id] = reader.readKind();
    if (id >= NAMED) skipName(reader);
    const value = readValue(reader, kind);
    if (reader.isBroken) break;
    if (kind === STRING) names.set(id, readText(value));
    if (kind === UNICODE) names.set(id, endAtNull(value.toString('utf16le')));
  }
  file.fileName = names.get(LONG_NAME) ?? file.fileName ?? names.get(SHORT_NAME);
  file.mimeType = names.get(MEDIA_TYPE);
}

function skipName(reader: Reader): void {
  reader.take(16);
  const isText = reader.readNumber() === 1;
  const number = reader.readNumber();
  if (isText) reader.takePadded(number);
}

/** Reads past the values of a property, and returns the last one. */
function readValue(reader: Reader, kind: number): Buffer {
  const isLong = LONG_TYPES.has(kind & ~MANY);
  const count = isLong || (kind & MANY) !== 0 ? reader.readNumber() : 1;
  if (!isLong) return reader.take(Math.min(count, MAX_ENTRIES) * (SIZES.get(kind & ~MANY) ?? 4));
  let value = Buffer.alloc(0) as Buffer;
  for (let index = 0; index < Math.min(count, MAX_ENTRIES) && !reader.isOver; index += 1)
    value = reader.takePadded(reader.readNumber());
  return value;
}

const readText = (data: Buffer): string => endAtNull(decodeUnclear(data));
const endAtNull = (text: string): string => text.split('\0', 1)[0] ?? '';

/** Reads numbers in the little-endian order. Behind the end all is empty. */
class Reader {
  isBroken = false;
  #data: Buffer;
  #at = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  get isOver(): boolean {
    return this.isBroken || this.#at >= this.#data.length;
  }

  take(bytes: number): Buffer {
    this.isBroken ||= this.#at + bytes > this.#data.length;
    const taken = this.isBroken ? Buffer.alloc(0) : this.#data.subarray(this.#at, this.#at + bytes);
    this.#at += bytes;
    return taken;
  }

  /** Takes bytes that are filled up to a multiple of four. */
  takePadded(bytes: number): Buffer {
    return this.take(Math.ceil(bytes / 4) * 4).subarray(0, bytes);
  }

  readNumber(): number {
    const bytes = this.take(4);
    return this.isBroken ? 0 : bytes.readUInt32LE();
  }

  /** The type and the id of a property. */
  readKind(): [kind: number, id: number] {
    const bytes = this.take(4);
    return this.isBroken ? [0, 0] : [bytes.readUInt16LE(), bytes.readUInt16LE(2)];
  }
}
