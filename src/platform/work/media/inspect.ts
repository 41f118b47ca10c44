/** Detects the format of a file and measures it, for example the size of a picture. This runs in child processes. */
import type { ByteSource } from '../../store/byte-source.ts';
import { measureAmr } from './amr.ts';
import { detectFormat } from './detect.ts';
import { FORMATS, mostBytes, type FormatName } from './formats.ts';
import { measurePicture } from './pictures.ts';
import { measureRecording } from './recordings.ts';

/** The measurements of a file. Each format has only some of them. */
export interface Facts {
  width?: number;
  height?: number;
  /** Seconds. */
  duration?: number;
  codecs?: string[];
  /** True for an animated picture. */
  animated?: boolean;
  /** What makes the colours of a picture unusual: CMYK, or 16-bit. */
  colors?: string;
}

export interface Inspected {
  /** Null for a file of a format that the API does not accept. */
  format: FormatName | null;
  facts: Facts;
}

/** Inspects a file. Throws an AppError about the part `file` when the file is broken. */
export async function inspectSource(source: ByteSource): Promise<Inspected> {
  const format = await detectFormat(source);
  // A file that is too large for its format is not measured, because nobody will accept it.
  if (format === null || source.bytes > mostBytes(FORMATS[format])) return { format, facts: {} };
  return measure(source, format);
}

async function measure(source: ByteSource, format: FormatName): Promise<Inspected> {
  switch (format) {
    case 'JPG':
    case 'PNG':
    case 'GIF':
    case 'WEBP': {
      const { animated, ...facts } = await measurePicture(source, format);
      return { format, facts: { ...facts, ...(animated ? { animated } : {}) } };
    }
    case 'AMR':
      return { format, facts: { duration: roundSeconds(await measureAmr(source)), codecs: ['amr'] } };
    case 'MP3':
    case 'OGG':
    case 'AAC':
    case 'M4A':
    case 'WEBM':
    case 'MP4':
    case '3GP': {
      const { duration, codecs, picture } = await measureRecording(source, format);
      return { format: settle(format, picture), facts: { ...picture, duration: roundSeconds(duration), codecs } };
    }
    case 'PDF':
    case 'DOC':
    case 'DOCX':
    case 'XLS':
    case 'XLSX':
    case 'PPT':
    case 'TXT':
      return { format, facts: {} };
  }
}

/** An MP4 or WEBM file can be sound or video; only its tracks show which of the two it is. A video in a WEBM is not accepted. */
function settle(format: FormatName, picture: object | null): FormatName | null {
  if (format === 'WEBM') return picture ? null : format;
  if (format !== 'MP4' && format !== 'M4A') return format;
  return picture ? 'MP4' : 'M4A';
}

const roundSeconds = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;
