/** Whether the dialog that merges a conversation into another one is open, and for which conversation. */
import type { Conversation } from '@parley/sdk';
import { createStore, useStore } from '../store.ts';

const merging = createStore<Conversation | null>(null);

export const useMerging = (): Conversation | null => useStore(merging);
/** Whether the dialog is open, for this conversation or for any. */
export const isMerging = (conversation?: string): boolean =>
  conversation === undefined ? merging.get() !== null : merging.get()?._id === conversation;
export const askToMerge = (conversation: Conversation): void => merging.set(conversation);
export const endMerging = (): void => merging.set(null);
