/** Whether the list of conversations has rows of a single line, as chosen in this browser. */
import { createStore, keep, readKept, useStore } from '../store.ts';

const KEPT_AS = 'parley.compact';
const compact = createStore(readKept(KEPT_AS) !== null);

export const useIsCompact = (): boolean => useStore(compact);

export function chooseCompact(isCompact: boolean): void {
  keep(KEPT_AS, isCompact ? 'on' : null);
  compact.set(isCompact);
}
