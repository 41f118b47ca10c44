/**
 * Distinguishes the kinds of Office documents from before 2007. Such a document is a small file system (Compound File Binary): chains of
 * sectors, and a directory in which the name of the main stream shows which program wrote the file.
 */
import { readBytes, type ByteSource } from '../../store/byte-source.ts';
import type { FormatName } from './formats.ts';

const MAIN_STREAMS: ReadonlyMap<string, FormatName> = new Map([
  ['WordDocument', 'DOC'],
  ['Workbook', 'XLS'],
  ['Book', 'XLS'],
  ['PowerPoint Document', 'PPT'],
]);

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
// The sectors of the directory that are read. A document with some hundred embedded objects has fewer.
const MAX_SECTORS = 1_024;
// Numbers from here on mark the end of a chain, a free sector or a missing entry.
const LAST_NUMBER = 0xfffffff9;

export async function detectOldOffice(source: ByteSource): Promise<FormatName | null> {
  const header = await readBytes(source, 0, Math.min(HEADER_BYTES, source.bytes));
  if (header.length < HEADER_BYTES) return null;
  const entries = await readDirectory(source, header);
  // The main stream stands at the root. Deeper ones belong to objects that are embedded in the document.
  const names = listRootNames(entries);
  return names.map((name) => MAIN_STREAMS.get(name)).find((format) => format !== undefined) ?? null;
}

/** Reads the sectors of the directory in the order of their chain. */
async function readDirectory(source: ByteSource, header: Buffer): Promise<Buffer> {
  // The size of a sector is 512 or 4096 bytes.
  const sectorBytes = header.readUInt16LE(0x1e) === 12 ? 4_096 : 512;
  const readSector = (number: number): Promise<Buffer> => {
    const start = Math.min((number + 1) * sectorBytes, source.bytes);
    return readBytes(source, start, Math.min(start + sectorBytes, source.bytes));
  };
  const sectors: Buffer[] = [];
  let number = header.readUInt32LE(0x30);
  while (number < LAST_NUMBER && sectors.length < MAX_SECTORS) {
    sectors.push(await readSector(number));
    number = await findNext(number);
  }
  return Buffer.concat(sectors);

  /** Looks up the next sector of a chain in the allocation table, whose first 109 sectors the header names. */
  async function findNext(after: number): Promise<number> {
    const perSector = sectorBytes / 4;
    const place = 0x4c + 4 * Math.floor(after / perSector);
    if (place + 4 > HEADER_BYTES) return LAST_NUMBER;
    const table = await readSector(header.readUInt32LE(place));
    const offset = 4 * (after % perSector);
    return offset + 4 <= table.length ? table.readUInt32LE(offset) : LAST_NUMBER;
  }
}

/** Lists the names at the root of the directory, whose entries form a tree: each names those to its left and right, and its first child. */
function listRootNames(entries: Buffer): string[] {
  const names: string[] = [];
  const seen = new Set<number>();
  const waiting = entries.length >= ENTRY_BYTES ? [entries.readUInt32LE(76)] : [];
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    const start = number * ENTRY_BYTES;
    if (seen.has(number) || start + ENTRY_BYTES > entries.length) continue;
    seen.add(number);
    // The length of a name counts its bytes with two for its end.
    const nameBytes = Math.min(Math.max(entries.readUInt16LE(start + 64) - 2, 0), 62);
    names.push(entries.toString('utf16le', start, start + nameBytes));
    waiting.push(entries.readUInt32LE(start + 68), entries.readUInt32LE(start + 72));
  }
  return names;
}
