/** Chooses the operations that the small matrix tries in depth: with nonsense, with ids of other kinds, and with unknown properties. */
import { findConcerned, listChangedFiles } from '../../../scripts/changed.ts';
import { readSources, readFacts } from '../../../scripts/source-facts.ts';
import { createChance } from '../harness/chance.ts';
import type { Operation } from './document.ts';

/** One in so many operations is drawn, beside those that this branch has changed. */
const DRAWN = 4;

export function chooseInDepth(operations: Operation[], seed: number): Operation[] {
  const changed = findChangedPaths();
  const [own, others] = [true, false].map((isChanged) =>
    operations.filter(({ path }) => changed.has(path) === isChanged),
  );
  const drawn = createChance(seed).shuffle(others ?? []);
  return [...(own ?? []), ...drawn.slice(0, Math.ceil(drawn.length / DRAWN))];
}

/** The paths of all operations in a list of routes that a changed file concerns. */
function findChangedPaths(): Set<string> {
  const files = readSources('.', ['src']);
  const concerned = findConcerned(files, listChanges());
  const routes = files.filter(({ path }) => path.endsWith('/routes.ts') && concerned.has(path));
  const texts = routes.flatMap((file) => readFacts(file).strings.map(({ text }) => text));
  return new Set(texts.map((text) => text.replaceAll(/:(\w+)/g, '{$1}')));
}

function listChanges(): string[] {
  try {
    return listChangedFiles('main').files;
  } catch {
    // Failure policy: in a copy without history nothing counts as changed, and only drawn operations are tried in depth.
    return [];
  }
}
