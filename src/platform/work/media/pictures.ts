/** Reads the size of a picture from its first bytes, without decoding it. */
import { readBytes, type ByteSource } from '../../store/byte-source.ts';
import { fileFault } from '../file-fault.ts';
import { declareLimit } from '../../values/limits.ts';

export interface Picture {
  width: number;
  height: number;
  /** True for an animated picture. */
  animated: boolean;
  /** What makes the colours unusual: CMYK, or more than 8 bits each; absent for others. */
  colors?: string;
}

export type PictureFormat = 'JPG' | 'PNG' | 'GIF' | 'WEBP';

// The longest side, which is the limit of WEBP, and the most points. A camera of a phone takes at most 50 million by default. A picture of
// as many points takes 200 MB once it is decoded.
const MAX_SIDE = declareLimit(16_383, { topic: 'Files', what: 'Picture: pixels per side', beyond: '400' });
const MAX_POINTS = declareLimit(50_000_000, { topic: 'Files', what: 'Picture: pixels', beyond: '400' });

/** Returns the size of a picture. Throws when the picture is broken or has too many points. */
export async function measurePicture(source: ByteSource, format: PictureFormat): Promise<Picture> {
  const picture = await READERS[format](source);
  if (picture === null || picture.width === 0 || picture.height === 0)
    throw fileFault(`is a broken ${format}: it does not say how large the picture is`);
  const { width, height } = picture;
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_POINTS)
    throw fileFault(
      `has ${width} x ${height} points; a picture has at most ${MAX_SIDE} a side and ${MAX_POINTS / 1e6} million in all`,
      'DIMENSIONS',
    );
  return picture;
}

const READERS: Record<PictureFormat, (source: ByteSource) => Promise<Picture | null>> = {
  JPG: readJpg,
  PNG: readPng,
  GIF: readGif,
  WEBP: readWebp,
};

/** Reads at most `length` bytes; fewer at the end of the file. */
const readAt = (source: ByteSource, start: number, length: number): Promise<Buffer> =>
  readBytes(source, Math.min(start, source.bytes), Math.min(start + length, source.bytes));

// An animated PNG says so before its first picture data; the parts before these are small.
const MAX_CHUNKS = 1_000;

async function readPng(source: ByteSource): Promise<Picture | null> {
  const head = await readAt(source, 0, 26);
  if (head.length < 26 || head.toString('latin1', 12, 16) !== 'IHDR') return null;
  const size = { width: head.readUInt32BE(16), height: head.readUInt32BE(20), ...nameColors(head[24]) };
  for (let at = 8, count = 0; count < MAX_CHUNKS; count += 1) {
    const chunk = await readAt(source, at, 8);
    const kind = chunk.toString('latin1', 4, 8);
    if (chunk.length < 8 || kind === 'IDAT') break;
    if (kind === 'acTL') return { ...size, animated: true };
    at += 12 + chunk.readUInt32BE(0);
  }
  return { ...size, animated: false };
}

const GIF_IMAGE = 0x2c;
const GIF_EXTENSION = 0x21;

async function readGif(source: ByteSource): Promise<Picture | null> {
  const head = await readAt(source, 0, 13);
  if (head.length < 13) return null;
  const size = { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  return { ...size, animated: await hasSecondImage(source, 13 + tableBytes(head[10] ?? 0)) };
}

/** The bytes of the colour table that a GIF has when the first bit of `flags` is set. */
const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Walks over the blocks of a GIF, which are small, until there is a second image. */
async function hasSecondImage(source: ByteSource, start: number): Promise<boolean> {
  const bytes = await readAt(source, start, source.bytes);
  let images = 0;
  for (let at = 0; at < bytes.length;) {
    const kind = bytes[at];
    if (kind === GIF_IMAGE) {
      if ((images += 1) > 1) return true;
      // The place and size of the image, its flags, and the code size of the compression.
      at += 11 + tableBytes(bytes[at + 9] ?? 0);
    } else if (kind === GIF_EXTENSION) at += 2;
    else return false;
    at = skipSubBlocks(bytes, at);
  }
  return false;
}

function skipSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
  return at + 1;
}

async function readWebp(source: ByteSource): Promise<Picture | null> {
  const head = await readAt(source, 0, 30);
  if (head.length < 30) return null;
  const kind = head.toString('latin1', 12, 16);
  // One byte of flags, then the size less one, 24 bits each.
  if (kind === 'VP8X')
    return {
      width: 1 + head.readUIntLE(24, 3),
      height: 1 + head.readUIntLE(27, 3),
      animated: ((head[20] ?? 0) & 2) !== 0,
    };
  // A mark, then the size less one, 14 bits each.
  if (kind === 'VP8L' && head[20] === 0x2f) {
    const bits = head.readUInt32LE(21);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff), animated: false };
  }
  // A frame tag, three marks, then the size, 14 bits each beside two bits of scale.
  if (kind === 'VP8 ' && head.readUIntBE(23, 3) === 0x9d012a)
    return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff, animated: false };
  return null;
}

/** Walks over the segments of a JPG to the one that begins the picture, behind metadata and previews. */
async function readJpg(source: ByteSource): Promise<Picture | null> {
  for (let at = 2, count = 0; count < MAX_CHUNKS; count += 1) {
    const segment = await readAt(source, at, 10);
    const [mark, kind = 0] = segment;
    if (segment.length < 10 || mark !== 0xff) return null;
    // Several marks may stand in front of a segment to fill space.
    if (kind === 0xff) at += 1;
    else if (isFrame(kind)) return readFrame(segment);
    else at += 2 + segment.readUInt16BE(2);
  }
  return null;
}

/** The frame of a JPG has the bits of each colour, the size, and the number of colours. */
const readFrame = (segment: Buffer): Picture => ({
  width: segment.readUInt16BE(7),
  height: segment.readUInt16BE(5),
  animated: false,
  ...nameColors(segment[4], segment[9]),
});

function nameColors(bits = 8, count = 3): Pick<Picture, 'colors'> {
  if (bits > 8) return { colors: `${bits}-bit` };
  return count === 4 ? { colors: 'CMYK' } : {};
}

/** The segments that begin a picture are C0 to CF, except those with tables: C4, C8 and CC. */
const isFrame = (kind: number): boolean => kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
