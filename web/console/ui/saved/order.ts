/** The order of saved views and segments, and the menu items that change it. */
import type { Saved, SavedStore } from '../../records/saved.ts';
import { useMay } from '../../session/session.ts';
import type { MenuItem } from '../menu.tsx';
import { showError } from '../toast.tsx';
import type { SavedKind } from './kind.ts';

/** One among those that are listed with it, in their order. */
export interface Place<V extends Saved> {
  saved: V;
  list: readonly V[];
}

/** Returns the place of what was saved; null if the user may not move it. */
export function usePlace<V extends Saved>(
  { store, share }: Pick<SavedKind<V>, 'store' | 'share'>,
  saved: V | undefined,
): Place<V> | null {
  const all = store.use();
  const [mayShare, mayManage] = [useMay(share), useMay('pipelines:update')];
  // The order of the shared ones is the same for everyone.
  if (!saved || (saved.is_shared && !(mayShare && mayManage))) return null;
  return { saved, list: all.filter(({ is_shared }) => is_shared === saved.is_shared) };
}

/** Moves it to this index of its list. */
export function place<V extends Saved>(store: SavedStore<V>, { saved, list }: Place<V>, index: number): void {
  const others = list.filter(({ _id }) => _id !== saved._id);
  store.move(others.toSpliced(index, 0, saved), index).catch(showError);
}

export function useMoveItems<V extends Saved>(kind: SavedKind<V>, saved: V): MenuItem[] {
  const { store, texts } = kind;
  const own = usePlace(kind, saved);
  if (!own) return [];
  const index = own.list.findIndex(({ _id }) => _id === saved._id);
  const moveTo = (next: number) => () => place(store, own, next);
  const up: MenuItem = { key: 'up', label: texts.moveUp, icon: 'up', onSelect: moveTo(index - 1) };
  const down: MenuItem = { key: 'down', label: texts.moveDown, icon: 'down', onSelect: moveTo(index + 1) };
  return [...(index > 0 ? [up] : []), ...(index < own.list.length - 1 ? [down] : [])];
}
