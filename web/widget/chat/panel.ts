/** Whether the visitor sees the chat, and what they have not read. */
import { createStore } from '../../browser/store.ts';
import { SITE } from '../address.ts';
import { tellHost } from '../host.ts';

/** A page that was opened by itself is always open. */
export const isOpen = createStore(SITE === null);
export const unread = createStore(0);
unread.follow(() => tellHost({ parley: 'unread', count: unread.get() }));

/** Counts how often the site has asked for the keyboard to move into the chat. */
export const focusRequests = createStore(0);

export const isSeenNow = (): boolean => isOpen.get() && document.visibilityState === 'visible';
