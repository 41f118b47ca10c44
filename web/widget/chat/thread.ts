/** The messages of the visitor's conversation, as far as they are loaded. */
import { createStore } from '../../browser/store.ts';
import { listMessages } from '../api/operations.ts';
import type { ChatMessage } from '../api/types.ts';
import { placeMessages } from './order.ts';
import { asKnownVisitor } from './visitor.ts';

interface Thread {
  messages: readonly ChatMessage[];
  hasOlder: boolean;
  /** The newest messages have been read. */
  isLoaded: boolean;
  isLoadingOlder: boolean;
  /** How many of the visitor's newest messages the company has not read. */
  unseenCount: number;
}

const EMPTY: Thread = { messages: [], hasOlder: false, isLoaded: false, isLoadingOlder: false, unseenCount: 0 };
const PAGE = 50;

export const thread = createStore(EMPTY);

const change = (part: Partial<Thread>): void => thread.set({ ...thread.get(), ...part });

export const emptyThread = (): void => thread.set(EMPTY);

export const showMessages = (messages: readonly ChatMessage[]): void =>
  change({ messages: placeMessages(thread.get().messages, messages) });

export const showUnseen = (unseenCount: number): void => change({ unseenCount });

/**
 * Reads the newest messages, and returns those that were not there before. What was loaded stays, unless more has come meanwhile than one
 * page has.
 */
export async function readNewest(): Promise<ChatMessage[]> {
  const page = await asKnownVisitor((token) => listMessages(token, { limit: PAGE }));
  if (!page) return [];
  const { messages, hasOlder, isLoaded } = thread.get();
  const known = new Set(messages.map(({ _id }) => _id));
  const isConnected = isLoaded && (!page.has_more || page.result.some(({ _id }) => known.has(_id)));
  change({
    messages: placeMessages(isConnected ? messages : [], page.result),
    hasOlder: isConnected ? hasOlder : page.has_more,
    isLoaded: true,
    unseenCount: page.unseen_count,
  });
  return isLoaded ? page.result.filter(({ _id }) => !known.has(_id)) : [];
}

/** Reads the messages before the oldest loaded one. */
export async function loadOlder(): Promise<void> {
  const { messages, hasOlder, isLoadingOlder } = thread.get();
  const before = messages[0]?._id;
  if (!hasOlder || isLoadingOlder || before === undefined) return;
  change({ isLoadingOlder: true });
  try {
    const page = await asKnownVisitor((token) => listMessages(token, { before, limit: PAGE }));
    if (page) {
      showMessages(page.result);
      change({ hasOlder: page.has_more });
    }
  } finally {
    change({ isLoadingOlder: false });
  }
}
