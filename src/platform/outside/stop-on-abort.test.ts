import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectGarbage } from '../../../test/support/memory.ts';
import { stopOnAbort } from './stop-on-abort.ts';

test('a call that has ended is not kept in memory by the listeners of a signal that other calls share', async () => {
  const signal = new AbortController().signal;
  // Stands for the listeners that were removed: the engine moves them to a part of the heap that it collects rarely.
  const removed: unknown[] = [];
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: unknown): void => {
    removed.push(listener);
    add(type, listener as () => void);
  };
  const call = (): WeakRef<object> => {
    const used = { bytes: Buffer.alloc(1_000) };
    stopOnAbort(signal, () => void used.bytes.fill(1))();
    return new WeakRef(used);
  };
  const ended = call();
  // A WeakRef keeps its object until the present turn of the event loop ends.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  assert.equal(removed.length, 1);
  assert.equal(ended.deref(), undefined);
});
