/** Which sections of the panel are unfolded. The browser remembers those that the user has folded or unfolded. */
import { createStore, keep, readKept, useStore } from '../../../../store.ts';

const KEPT_AS = 'parley.panel-sections';

const kept = createStore<ReadonlyMap<string, boolean>>(new Map(readChanges()));

/** Reads what is kept, such as `notes:closed files:open`. */
function readChanges(): [string, boolean][] {
  const words = (readKept(KEPT_AS) ?? '').split(' ').filter((word) => word.includes(':'));
  return words.map((word) => [word.slice(0, word.indexOf(':')), word.endsWith(':open')]);
}

export const useIsUnfolded = (section: string, isOpenAtFirst: boolean): boolean =>
  useStore(kept).get(section) ?? isOpenAtFirst;

export function fold(section: string, isOpen: boolean): void {
  const changed = new Map([...kept.get(), [section, isOpen]]);
  kept.set(changed);
  keep(KEPT_AS, [...changed].map(([name, open]) => `${name}:${open ? 'open' : 'closed'}`).join(' '));
}
