/**
 * Vectors that need no model: counts of the n-grams of a text, hashed into a fixed number of places. Texts that share parts of words are near
 * to each other, whatever the language; texts that only mean the same are not.
 */
import { foldText } from '../../platform/values/words.ts';

// With 512 places, few of the n-grams of a passage share one; a vector takes 2 kB.
export const DIMENSIONS = 512;
const GRAM = 4;
const FNV_OFFSET = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;

/** Returns a vector of length 1; for a text without letters and digits, one of length 0. */
export function makeLocalVector(text: string): Float32Array {
  const counts = new Map<number, number>();
  for (const [word] of foldText(text).matchAll(/[\p{L}\p{N}]+/gu)) {
    // The mark at both ends makes the beginnings and ends of words count as such.
    const marked = `_${word}_`;
    for (let at = 0; at <= Math.max(0, marked.length - GRAM); at += 1) {
      const hash = hashGram(marked, at, Math.min(at + GRAM, marked.length));
      counts.set(hash, (counts.get(hash) ?? 0) + 1);
    }
  }
  const vector = new Float32Array(DIMENSIONS);
  for (const [hash, count] of counts) {
    // One bit decides the sign, so that n-grams which share a place by chance cancel each other out on average.
    const sign = hash & 1 ? 1 : -1;
    const place = (hash >>> 1) % DIMENSIONS;
    vector[place] = (vector[place] ?? 0) + sign * Math.log1p(count);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Hashes a part of a text (FNV-1a). */
function hashGram(text: string, start: number, end: number): number {
  let hash = FNV_OFFSET;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  // The lowest bits of this hash depend on the last character alone, so the higher ones are mixed in.
  hash ^= hash >>> 15;
  return hash >>> 0;
}
