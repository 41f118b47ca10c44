/** A child process that misbehaves on request, as the process that reads sheets could with a hostile file. */
import { getPriority } from 'node:os';
import { AppError } from '../../src/platform/values/errors.ts';
import { eatHeap } from './eat-heap.ts';
import { serveParent } from '../../src/platform/work/child-work.ts';

const held: Buffer[] = [];

serveParent(async (request, supply) => {
  const { wish } = request as { wish: string };
  if (wish === 'pid') return process.pid;
  if (wish === 'loop') for (;;);
  if (wish === 'toil') {
    const before = getPriority();
    while (getPriority() === before);
    return getPriority();
  }
  if (wish === 'eat') eatHeap();
  // Memory that is never written to is counted, but not used.
  if (wish === 'gulp') return Array.from({ length: 64 }, () => Buffer.alloc(64 * 1024 * 1024)).length;
  if (wish === 'hold') {
    held.push(Buffer.alloc(300 * 1024 * 1024, 1));
    return process.pid;
  }
  if (wish === 'refuse')
    throw new AppError('VALIDATION_FAILED', 'file is broken', [{ path: 'file', code: 'X', message: 'y' }]);
  if (wish === 'break') throw new RangeError('secret of the file');
  if (wish === 'fetch') return supply({ of: 'parent' });
  return {
    priority: getPriority(),
    environment: Object.keys(process.env).filter((name) => !/^(NODE_|PWD|SHLVL|_$)/.test(name)),
  };
});
