/** Child readers that use less CPU time before they are ended than the platform allows, for tests of readers that never end. */
import { createReaders, type ChildReaders } from '../../src/platform/work/child-readers.ts';

/** Long enough for a child to start on a busy machine. */
const CPU_MS = 2_000;

export function createHurriedReaders(module: URL): ChildReaders {
  const readers = createReaders(module, 0);
  return {
    ...readers,
    open: (...given) => {
      const reader = readers.open(...given);
      return { ...reader, ask: (request) => reader.ask(request, CPU_MS) };
    },
  };
}
