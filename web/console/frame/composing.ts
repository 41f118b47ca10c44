/** Whether the dialog that starts a conversation is open, and with whom. */
import type { Contact } from '@parley/sdk';
import { useMay } from '../session/session.ts';
import { createStore, useStore } from '../store.ts';

/** `contact` is null until one is chosen. */
const composing = createStore<{ contact: Contact | null } | null>(null);

export const useComposing = (): { contact: Contact | null } | null => useStore(composing);
export const compose = (contact: Contact | null = null): void => composing.set({ contact });
export const endComposing = (): void => composing.set(null);

/** Whether the user may open conversations, write messages and see contacts. */
export function useMayCompose(): boolean {
  const may = [useMay('conversations:create'), useMay('messages:create'), useMay('contacts:read')];
  return may.every(Boolean);
}
