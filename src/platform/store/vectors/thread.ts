/** The program of the thread that keeps vectors and compares a question with all of them. */
import { parentPort } from 'node:worker_threads';
import type { FromThread, NearestQuestion, NearVector, ToThread, VectorBlock } from './protocol.ts';

const blocks = new Map<string, Map<string, VectorBlock>>();

parentPort?.on('message', (message: ToThread) => {
  const kept = blocks.get(message.owner) ?? new Map<string, VectorBlock>();
  if ('ask' in message) {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
    parentPort?.postMessage({ answer: message.ask, near: findNearest(kept, message) } satisfies FromThread);
  } else if ('add' in message) {
    for (const block of message.add) kept.set(block.key, block);
    blocks.set(message.owner, kept);
  } else {
    for (const key of message.remove ?? kept.keys()) kept.delete(key);
    if (kept.size === 0) blocks.delete(message.owner);
  }
});

/** Returns the nearest vectors, the nearest first. Vectors with other dimensions than the question are left out. */
function findNearest(kept: Map<string, VectorBlock>, { question, limit }: NearestQuestion): NearVector[] {
  const near: NearVector[] = [];
  for (const { key, dimensions, values } of kept.values()) {
    if (dimensions !== question.length) continue;
    for (let place = 0; (place + 1) * dimensions <= values.length; place += 1) {
      const score = multiply(question, values, place * dimensions);
      if (near.length === limit && score <= (near.at(-1)?.score ?? 0)) continue;
      const at = near.findIndex((other) => other.score < score);
      near.splice(at === -1 ? near.length : at, 0, { key, place, score });
      near.length = Math.min(near.length, limit);
    }
  }
  return near;
}

function multiply(question: Float32Array, values: Float32Array, offset: number): number {
  let sum = 0;
  for (let index = 0; index < question.length; index += 1)
    sum += (question[index] ?? 0) * (values[offset + index] ?? 0);
  return sum;
}
