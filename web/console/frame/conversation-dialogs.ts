/** Which dialog of the open conversation was asked for, by its menu or in the search. */
import { createStore, useStore } from '../store.ts';

interface Asked {
  dialog: 'SEARCH' | 'TAGS';
  conversation: string;
}

const asked = createStore<Asked | null>(null);

export const useAskedDialog = (): Asked | null => useStore(asked);
export const askForSearch = (conversation: string): void => asked.set({ dialog: 'SEARCH', conversation });
export const askForTags = (conversation: string): void => asked.set({ dialog: 'TAGS', conversation });
export const endAskedDialog = (): void => asked.set(null);
