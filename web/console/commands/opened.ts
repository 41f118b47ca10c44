/** Which of the two dialogs that every screen has is open, and what was typed into the search. */
import { createStore, useStore } from '../store.ts';

export type CommandDialog = 'SEARCH' | 'KEYS';

const opened = createStore<CommandDialog | null>(null);
const searched = createStore('');

export const useOpened = (): CommandDialog | null => useStore(opened);
/** True from the key press on, also while the code of the dialog is loaded. */
export const isCommandDialogOpen = (): boolean => opened.get() !== null;
export const isSearchOpen = (): boolean => opened.get() === 'SEARCH';
export const closeCommandDialog = (): void => opened.set(null);

/** What had the focus before; it gets it back. */
let before: HTMLElement | null = null;
export const forgetFocusBefore = (): void => void (before = null);
export const findFocusBefore = (): HTMLElement | null => (before?.isConnected ? before : null);

/** Takes the focus from the page at once, so that no key reaches it while the code of the dialog is loaded. */
export function openCommandDialog(dialog: CommandDialog): void {
  const { activeElement } = document;
  // One dialog opens the other, which goes back to where the first one came from.
  if (activeElement instanceof HTMLElement && !activeElement.closest('[role=dialog]')) before = activeElement;
  before?.blur();
  searched.set('');
  opened.set(dialog);
}

export const useSearched = (): string => useStore(searched);
export const setSearched = (text: string): void => searched.set(text);

/** Writes a key into the search before its field has the focus. */
export function typeAhead(key: string): void {
  if (key === 'Backspace') searched.set(searched.get().slice(0, -1));
  else if (key.length === 1) searched.set(searched.get() + key);
}
