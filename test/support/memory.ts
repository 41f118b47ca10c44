/** Measures how much memory is held while a stream passes. */
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Memory is measured each time that this many bytes have passed. */
const STEP_BYTES = 10 * 1024 * 1024;

/** The memory that is in use, without what the next garbage collection would free. */
function heldBytes(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

export interface Scales {
  pass(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** The most memory that was held while the stream passed, beyond what was held before. */
  most(): number;
  /** The hash of what has passed, in hex. */
  sha256(): string;
}

export function weigh(): Scales {
  const before = heldBytes();
  const hash = createHash('sha256');
  let most = 0;
  let passed = 0;
  return {
    async *pass(source) {
      for await (const piece of source) {
        hash.update(piece);
        const isStep = Math.floor(passed / STEP_BYTES) < Math.floor((passed + piece.length) / STEP_BYTES);
        if (isStep) most = Math.max(most, heldBytes() - before);
        passed += piece.length;
        yield piece;
      }
    },
    most: () => most,
    sha256: () => hash.digest('hex'),
  };
}
