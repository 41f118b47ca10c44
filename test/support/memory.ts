/** Collects garbage, and measures how much memory is held while a stream passes. */
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectGarbage = runInNewContext('gc') as () => void;

/** Memory is measured each time that this many bytes have passed. */
const STEP_BYTES = 10 * 1024 * 1024;

/** The memory that is in use, without what the next garbage collection would free. */
function measureHeldBytes(): number {
  // V8 frees the buffers that a collection has found unused on another thread, and waits for that at the beginning of the next collection.
  collectGarbage();
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

export interface MemoryMeter {
  pass(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** The most memory that was held while the stream passed, beyond what was held before. */
  most(): number;
  /** The hash of what has passed, in hex. */
  sha256(): string;
}

export function createMemoryMeter(): MemoryMeter {
  const before = measureHeldBytes();
  const hash = createHash('sha256');
  let most = 0;
  let passed = 0;
  return {
    async *pass(source) {
      for await (const piece of source) {
        hash.update(piece);
        const isStep = Math.floor(passed / STEP_BYTES) < Math.floor((passed + piece.length) / STEP_BYTES);
        if (isStep) most = Math.max(most, measureHeldBytes() - before);
        passed += piece.length;
        yield piece;
      }
    },
    most: () => most,
    sha256: () => hash.digest('hex'),
  };
}
