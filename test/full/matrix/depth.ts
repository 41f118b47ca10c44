/**
 * Chooses the operations that the small matrix tries in depth, with nonsense, with ids of other kinds and with unknown properties, and that it
 * tries with each protection alone.
 */
import { findAffectedFiles, listChangedFiles } from '../../../scripts/changed.ts';
import { readSources, readFacts } from '../../../scripts/source-facts.ts';
import { createChance } from '../harness/chance.ts';
import type { Operation } from './document.ts';
import { isList } from './lists.ts';

/** Chooses one in `share` operations: first those that this branch has changed, and then others, which the seed draws. */
export function chooseInDepth(operations: Operation[], share: number, seed: number): Operation[] {
  changedPaths ??= findChangedPaths();
  const changed = changedPaths;
  const chance = createChance(seed);
  // Lists are drawn apart, so that there is one among the operations.
  return [true, false].flatMap((areLists) => {
    const drawn = chance.shuffle(operations.filter((operation) => isList(operation) === areLists));
    const { own = [], others = [] } = Object.groupBy(drawn, ({ path }) => (changed.has(path) ? 'own' : 'others'));
    return [...own, ...others].slice(0, Math.ceil(drawn.length / share));
  });
}

/** Found once, because it reads all sources. */
let changedPaths: Set<string> | undefined;

/** Lists the paths of all operations whose routes a change on this branch affects. */
function findChangedPaths(): Set<string> {
  const changes = listChanges();
  if (changes.length === 0) return new Set();
  const files = readSources('.', ['src']);
  const concerned = findAffectedFiles(files, changes);
  const routes = files.filter(({ path }) => path.endsWith('/routes.ts') && concerned.has(path));
  const texts = routes.flatMap((file) => readFacts(file).strings.map(({ text }) => text));
  return new Set(texts.map((text) => text.replaceAll(/:(\w+)/g, '{$1}')));
}

function listChanges(): string[] {
  try {
    return listChangedFiles('main').files.filter((path) => !path.endsWith('.test.ts'));
  } catch {
    // Failure policy: in a copy without history nothing counts as changed, and only drawn operations are tried in depth.
    return [];
  }
}
