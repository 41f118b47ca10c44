/** Converts pictures to JPG or PNG with 8-bit colours in RGB. */
import type { Sharp } from 'sharp';
import { AppError } from '../../values/errors.ts';
import { fileFault } from '../file-fault.ts';
import type { Converted } from './conversions.ts';
import { MAX_BYTES } from './formats.ts';
import { openPicture } from './open-picture.ts';
import type { PictureFormat } from './pictures.ts';

// Nobody sees the difference to the original, and the file is half as large as with a quality of 95.
const QUALITY = 90;

export async function convertPicture(data: Buffer, format: PictureFormat): Promise<Converted> {
  try {
    return await convert(await openPicture(data), format);
  } catch (error) {
    // Failure policy: for every error of the decoder the caller gets the error that the file is broken.
    throw error instanceof AppError ? error : fileFault(`is a broken ${format}`);
  }
}

async function convert(picture: Sharp, format: PictureFormat): Promise<Converted> {
  const { hasAlpha } = await picture.metadata();
  // A photo stays one; a drawing, and a picture with transparent parts, keeps all its points.
  const isPhoto = format === 'JPG' || (format === 'WEBP' && !hasAlpha);
  const drawn = isPhoto ? null : await picture.clone().png().toBuffer({ resolveWithObject: true });
  if (drawn && drawn.data.length <= MAX_BYTES.IMAGE) return describe('PNG', drawn);
  const shot = await picture
    .flatten({ background: 'white' })
    .jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' })
    .toBuffer({ resolveWithObject: true });
  if (shot.data.length > MAX_BYTES.IMAGE)
    throw fileFault(`has more than ${MAX_BYTES.IMAGE} bytes as a JPG`, 'TOO_LARGE');
  return describe('JPG', shot);
}

const describe = (
  format: 'JPG' | 'PNG',
  { data, info }: { data: Buffer; info: { width: number; height: number } },
): Converted => ({ format, facts: { width: info.width, height: info.height }, data });
