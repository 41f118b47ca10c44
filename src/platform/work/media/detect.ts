/** Finds the format of a file by its contents. The names and media types that callers give are not looked at. */
import { readBytes, type ByteSource } from '../../store/byte-source.ts';
import { isBroken } from '../file-fault.ts';
import { openZip } from '../zip.ts';
import { findFormat, type FormatName } from './formats.ts';
import { detectOldOffice } from './old-office.ts';

/** Returns the format; null for a file of any other format. Throws when the file is a broken document. */
export async function detectFormat(source: ByteSource): Promise<FormatName | null> {
  const detected = await detectByMarks(source);
  if (detected === 'application/x-cfb') return detectOldOffice(source);
  if (ZIPS.test(detected)) return detectZipped(source);
  const format = findFormat(detected);
  if (format !== null) return format;
  return (await isText(source)) ? 'TXT' : null;
}

// A zip whose parts the detection does not know may still be a document, whose directory has the parts in any order.
const ZIPS = /^application\/(?:zip|vnd\.openxmlformats-officedocument\.)/;

/** Returns the media type that the signature of a file stands for; empty for an unknown signature. */
async function detectByMarks(source: ByteSource): Promise<string> {
  const { fileTypeFromBlob } = await import('file-type');
  try {
    return (await fileTypeFromBlob(asBlob(source)))?.mime ?? '';
  } catch (error) {
    // Failure policy: a file that makes the detection fail counts as a file with an unknown signature.
    if (isBroken(error)) return '';
    throw error;
  }
}

/** The part of a Blob that the detection uses: it reads a few small parts, at the places where formats have their signatures. */
const asBlob = (source: ByteSource): Blob =>
  ({
    size: source.bytes,
    type: '',
    slice: (start: number, end: number) => ({
      arrayBuffer: async () => Uint8Array.from(await readBytes(source, start, end)).buffer,
    }),
  }) as unknown as Blob;

// A long document with a picture on each page has some thousands of parts.
const DOCUMENT = { name: 'document', maxParts: 10_000 };

async function detectZipped(source: ByteSource): Promise<FormatName | null> {
  const zip = await openZip(source, DOCUMENT);
  try {
    if (zip.has('word/document.xml')) return 'DOCX';
    return zip.has('xl/workbook.xml') ? 'XLSX' : null;
  } finally {
    zip.close();
  }
}

/** True for valid UTF-8 without the character NUL. */
async function isText(source: ByteSource): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of source.read(0, source.bytes)) {
      if (piece.includes(0)) return false;
      decoder.decode(piece, { stream: true });
    }
    decoder.decode();
    return true;
  } catch (error) {
    // Failure policy: bytes that are no UTF-8 are no text; an error of the source is thrown on.
    if ((error as { code?: string }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false;
    throw error;
  }
}
