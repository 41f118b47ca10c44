/** Makes thumbnails of pictures, for lists that show many. This runs in child processes. */
import { readBytes, type ByteSource } from '../../store/byte-source.ts';
import { needsThumbnail, THUMBNAIL_SIDE, type Converted } from './conversions.ts';
import { FORMATS } from './formats.ts';
import type { Inspected } from './inspect.ts';
import { openPicture } from './open-picture.ts';

const QUALITY = 75;

/** Returns the thumbnail of a picture; null for other files, small pictures, and pictures that cannot be decoded. */
export async function makeThumbnail(source: ByteSource, { format, facts }: Inspected): Promise<Converted | null> {
  if (format === null || !needsThumbnail(FORMATS[format].mimeType, facts)) return null;
  try {
    const picture = await openPicture(await readBytes(source, 0, source.bytes));
    const { data, info } = await picture
      .resize({ width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .toBuffer({ resolveWithObject: true });
    return { format: 'WEBP', facts: { width: info.width, height: info.height }, data };
  } catch {
    // Failure policy: a picture that cannot be decoded has no thumbnail; whether it is accepted does not depend on that.
    return null;
  }
}
