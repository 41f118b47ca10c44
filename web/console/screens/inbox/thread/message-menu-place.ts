/** The message whose menu is open. One menu serves all messages, because a thread has many. */
import type { Message } from '@parley/sdk';
import { createStore, useStore } from '../../../store.ts';

export interface AskedMenu {
  message: Message;
  /** What the menu is placed at. */
  anchor: Element | { getBoundingClientRect(): DOMRect };
  /** The emoji with which the company has reacted; null when it has not. */
  reaction: string | null;
  /** Shows only the emoji to react with. */
  isReaction: boolean;
  /** A key has opened it. */
  isByKey: boolean;
  /** Null for a message of an earlier conversation, which is only read. */
  onReply: ((message: Message) => void) | null;
}

const asked = createStore<AskedMenu | null>(null);

export const useAskedMenu = (): AskedMenu | null => useStore(asked);
export const openMessageMenu = (menu: AskedMenu): void => asked.set(menu);
export const closeMessageMenu = (): void => asked.set(null);
