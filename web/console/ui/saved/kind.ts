import type { Saved, SavedStore } from '../../records/saved.ts';

/** What is said about views, and about segments. */
export interface SavedTexts {
  save: string;
  /** Saves something new while something that was saved is open. */
  saveNew: string;
  name: string;
  menu: string;
  update: string;
  rename: string;
  moveUp: string;
  moveDown: string;
  share: string;
  hide: string;
  removeTitle(name: string): string;
  removeOwn: string;
  removeShared: string;
  removed(name: string): string;
}

/** A kind of saved filters, with the right to share them. */
export interface SavedKind<V extends Saved> {
  store: SavedStore<V>;
  texts: SavedTexts;
  share: string;
}
