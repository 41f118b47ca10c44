/** Decides what the platform makes from a file: a copy in a format that the networks accept, and for a picture a thumbnail. */
import { FORMATS, type Format, type FormatName } from './formats.ts';
import type { Facts } from './inspect.ts';

/** The formats of files that can be converted. */
export type Convertible = Extract<FormatName, 'JPG' | 'PNG' | 'GIF' | 'WEBP' | 'M4A' | 'WEBM'>;

/** A file that was made of another one. */
export interface Converted {
  format: FormatName;
  facts: Facts;
  data: Buffer;
}

const CONVERTIBLE: readonly Convertible[] = ['JPG', 'PNG', 'GIF', 'WEBP', 'M4A', 'WEBM'];

/**
 * Returns the format from which a file is converted; null for a file that needs no conversion, and where it would lose too much, such as
 * the movement of a picture.
 */
export function findConversion(mimeType: string, { animated, colors, codecs }: Facts): Convertible | null {
  const format = CONVERTIBLE.find((name) => FORMATS[name].mimeType === mimeType);
  switch (format) {
    case undefined:
      return null;
    case 'JPG':
    case 'PNG':
      return colors === undefined || animated ? null : format;
    case 'GIF':
    case 'WEBP':
      return animated ? null : format;
    case 'M4A':
    case 'WEBM':
      // Networks take Opus in an OGG. Any other sound would have to be encoded anew.
      return codecs?.length === 1 && codecs[0] === 'opus' ? format : null;
  }
}

/** The longest side of a thumbnail, in pixels. A phone's screen shows it about 100 units wide, because it draws three pixels for each unit. */
export const THUMBNAIL_SIDE = 320;

/** True for a picture that is larger than its thumbnail would be. */
export function needsThumbnail(mimeType: string, { width = 0, height = 0 }: Facts): boolean {
  const formats: Format[] = Object.values(FORMATS);
  const isPicture = formats.find((format) => format.mimeType === mimeType)?.fileTypes[0] === 'IMAGE';
  return isPicture && Math.max(width, height) > THUMBNAIL_SIDE;
}
