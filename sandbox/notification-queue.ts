import { Agent } from 'undici';
import type { Element } from './envelope.ts';

/** The result of one POST of a notification; `status` is null when no answer came. */
export type PostResult = { delivered: boolean; status: number | null };

export type QueuedPost = { target: string; bytes: Buffer; tries: number; tried?: (result: PostResult) => void };
export type WaitingElement = { element: Element; tried?: (result: PostResult) => void };

/** The notifications that wait for their POST, and the means to post them; notifier.ts works on them. */
export type Notifier = {
  queue: QueuedPost[];
  /** Index of the first item of the queue: shifting a long array would cost O(n) for each post. */
  head: number;
  active: number;
  waiting: WaitingElement[];
  flushTimer: NodeJS.Timeout | undefined;
  random: () => number;
  agent: Agent;
};

export function createNotifier(seed: number): Notifier {
  return {
    queue: [],
    head: 0,
    active: 0,
    waiting: [],
    flushTimer: undefined,
    random: seededRandom(seed),
    agent: new Agent({ keepAliveTimeout: 4_000 }),
  };
}

/** Mulberry32, a small random generator that gives the same numbers for the same seed on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
