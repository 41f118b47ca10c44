/** Reads texts whose charset is not known for certain. */

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const windows = new TextDecoder('windows-1252');

/**
 * Reads the bytes as UTF-8, or as windows-1252 if they are no UTF-8: old programs in the West write that without saying so. A text that is
 * mostly UTF-8 stays so, since a server may have cut a character of it.
 */
export function decodeUnclear(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // Failure policy: invalid bytes are read in the likelier way.
    const text = bytes.toString('utf8');
    const broken = text.match(/\ufffd/g)?.length ?? 0;
    const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
    return broken > whole ? windows.decode(bytes) : text;
  }
}
