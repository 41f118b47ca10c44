/** Computes the vectors by which the search compares a question with passages. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeLocalVector } from './local-vectors.ts';

export interface Embedder {
  /** Which model makes the vectors. Vectors of different models cannot be compared. */
  model: string;
  /** How much its vectors count in a search, next to 1 for the stems of words. */
  weight: number;
  /** Returns a vector of length 1 or 0 for each text, in the same order. Throws an EndpointError when the model gives none. */
  embed(texts: string[], signal: AbortSignal): Promise<Float32Array[]>;
}

// Some milliseconds of computing; requests are answered between two portions.
const PORTION = 16;

/** Computes the vectors in this process. The name changes whenever the same text would get another vector. */
export const localEmbedder: Embedder = {
  model: 'local-4-grams-1',
  // These vectors know spelling only, so they mostly decide between passages that the words of a question do not tell apart.
  weight: 0.1,
  async embed(texts, signal) {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += PORTION) {
      signal.throwIfAborted();
      vectors.push(...texts.slice(at, at + PORTION).map(makeLocalVector));
      await nextTurn();
    }
    return vectors;
  },
};
