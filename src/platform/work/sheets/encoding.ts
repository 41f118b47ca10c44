/**
 * Decodes the text of a CSV: UTF-8, or Windows-1252, in which spreadsheet programs of western countries save by default (Latin-1 is a part
 * of it). The first character that is not ASCII decides, so the text is read once.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { ByteSource } from '../../store/byte-source.ts';
import { fileFault } from '../file-fault.ts';
import { splitIntoSteps } from './sheet.ts';

// The most bytes of a character in UTF-8.
const MAX_CHARACTER = 4;
// Bytes that mean nothing in Windows-1252, so that the text has another encoding.
const UNASSIGNED = /[\u0081\u008d\u008f\u0090\u009d]/;

export async function* decodeSheet(source: ByteSource): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  // The beginning of a character, until it is there as a whole.
  let kept: Buffer = Buffer.alloc(0);
  for await (const piece of splitIntoSteps(source.read(0, source.bytes))) {
    const bytes: Buffer = kept.length > 0 ? Buffer.concat([kept, piece]) : piece;
    kept = bytes.subarray(bytes.length);
    if (decoder === null) {
      const first = isAscii(bytes) ? bytes.length : bytes.findIndex((byte) => byte > 127);
      if (first > bytes.length - MAX_CHARACTER) {
        yield checkText(bytes.toString('latin1', 0, first));
        kept = bytes.subarray(first);
        continue;
      }
      decoder = chooseDecoder(bytes.subarray(first));
    }
    yield decodePiece(decoder, bytes);
  }
  decoder ??= chooseDecoder(kept);
  yield decodePiece(decoder, kept) + decodePiece(decoder, null);
}

function chooseDecoder(bytes: Buffer): TextDecoder {
  const [lead = 0] = bytes;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  const isWhole = bytes.length === 0 || (bytes.length >= length && isUtf8(bytes.subarray(0, length)));
  return isWhole ? new TextDecoder('utf-8', { fatal: true }) : new TextDecoder('windows-1252');
}

function decodePiece(decoder: TextDecoder, piece: Buffer | null): string {
  let text: string;
  try {
    text = piece === null ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    // Failure policy: the decoder's message does not help the caller, so the error says which encoding is expected.
    throw fileFault('is not UTF-8; save it as CSV in UTF-8', 'ENCODING');
  }
  if (decoder.encoding !== 'utf-8' && UNASSIGNED.test(text))
    throw fileFault('is neither UTF-8 nor Windows-1252; save it as CSV in UTF-8', 'ENCODING');
  return checkText(text);
}

function checkText(text: string): string {
  if (text.includes('\0')) throw fileFault('has the character NUL in it');
  return text;
}
