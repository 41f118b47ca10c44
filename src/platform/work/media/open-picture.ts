/** Decodes pictures. It runs in child processes only, because a decoder is native code, which a picture can make slow or break. */
import type { Sharp } from 'sharp';
import { fileFault } from '../file-fault.ts';
import { declareLimit } from '../../values/limits.ts';

// The most points of a picture that is decoded: those of a common camera twice. Their decoded colours take 100 MB, or 200 MB with 16 bits.
const MAX_POINTS = declareLimit(25_000_000, {
  topic: 'Files',
  what: 'Picture: pixels for a conversion or a thumbnail',
  beyond: 'neither happens',
});

let loaded: Promise<typeof import('sharp').default> | undefined;

/** Opens a picture as people see it: upright, and in 8-bit RGB. Throws when it has too many points, or an error of the decoder. */
export async function openPicture(data: Buffer): Promise<Sharp> {
  const sharp = await takeDecoder();
  const picture = sharp(data, { failOn: 'error', limitInputPixels: false });
  const { width, height } = await picture.metadata();
  if (width * height > MAX_POINTS)
    throw fileFault(
      `has ${width} x ${height} points; at most ${MAX_POINTS / 1e6} million can be converted`,
      'DIMENSIONS',
    );
  return picture.autoOrient().toColourspace('srgb');
}

/** Returns the decoder, which is loaded with the first picture. */
export const takeDecoder = (): Promise<typeof import('sharp').default> => (loaded ??= loadDecoder());

async function loadDecoder(): Promise<typeof import('sharp').default> {
  // The decoder takes a tenth of a second to load, and most files are not decoded.
  const { default: sharp } = await import('sharp');
  // Only the formats of attachments are decoded; the library knows many more.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadNsgifBuffer',
      'VipsForeignLoadWebpBuffer',
    ],
  });
  // A child works on one picture at a time with one thread, and decodes no picture twice.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}
