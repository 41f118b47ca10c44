/** What the process and its thread for vectors say to each other. */

/** Vectors that were stored together. They have length 1, or 0 where there is nothing to compare. */
export interface VectorBlock {
  /** A name that no other block of the owner has, at any time. */
  key: string;
  dimensions: number;
  /** One vector after the other. */
  values: Float32Array<ArrayBuffer>;
}

/** A vector that is near to a question: the block, the place in the block from 0, and the cosine of the angle between both. */
export interface NearVector {
  key: string;
  place: number;
  score: number;
}

export interface NearestQuestion {
  owner: string;
  question: Float32Array;
  limit: number;
}

export type ToThread =
  | { add: VectorBlock[]; owner: string }
  /** Without keys, everything of the owner goes. */
  | { remove: string[] | null; owner: string }
  | ({ ask: number } & NearestQuestion);

export interface FromThread {
  answer: number;
  near: NearVector[];
}
