/** Which of the two dialogs that every screen has is open. */
import { createStore, useStore } from '../store.ts';

export type CommandDialog = 'SEARCH' | 'KEYS';

const opened = createStore<CommandDialog | null>(null);

export const useOpened = (): CommandDialog | null => useStore(opened);
export const openCommandDialog = (dialog: CommandDialog): void => opened.set(dialog);
export const closeCommandDialog = (): void => opened.set(null);
