/** Who views a conversation or types in it. */
import type { Presence } from '@parley/sdk';
import { lastWords, parley } from '../client.ts';
import { createStore, useStore } from '../store.ts';

/** Who is in each conversation. */
const present = createStore<ReadonlyMap<string, readonly Presence[]>>(new Map());
const NOBODY: readonly Presence[] = [];

export function showPresence(presence: Presence): void {
  const { conversation, by, state } = presence;
  const others = (present.get().get(conversation) ?? NOBODY).filter((each) => each.by._id !== by._id);
  present.set(new Map(present.get()).set(conversation, state === 'AWAY' ? others : [...others, presence]));
}

export const listPresent = (): Presence[] => [...present.get().values()].flat();

export function setPresent(list: readonly Presence[]): void {
  present.set(Map.groupBy(list, ({ conversation }) => conversation));
}

export const usePresent = (conversation: string): readonly Presence[] =>
  useStore(present, (all) => all.get(conversation) ?? NOBODY);

/** The platform forgets after a minute who views a conversation, and after fifteen seconds that somebody types. */
const BEAT_MS = 20_000;
const TYPING_MS = 15_000;

let typedAt = 0;

/** Conversations that were merged into others or removed. Calls about them would be answered 404. */
const ended = new Set<string>();
export const endPresence = (conversation: string): void => void ended.add(conversation);

/** Tells the others what this user does in a conversation. */
export function announcePresence(conversation: string, state: Presence['state'], client = parley): void {
  if (state === 'TYPING') typedAt = Date.now();
  if (ended.has(conversation)) return;
  // Failure policy: presence may be lost; the next one is told anew.
  client.conversations.showPresence(conversation, { state }, { repeatForMs: 0 }).catch(() => undefined);
}

/** Shows the others that this user views a conversation, until the returned function is called, the page is left or is out of view. */
export function showViewing(conversation: string): () => void {
  const beat = (): void => {
    const isTyping = Date.now() - typedAt < TYPING_MS;
    if (document.visibilityState === 'visible' && !isTyping) announcePresence(conversation, 'VIEWING');
  };
  const leave = (): void => announcePresence(conversation, 'AWAY', lastWords);
  typedAt = 0;
  beat();
  const timer = setInterval(beat, BEAT_MS);
  document.addEventListener('visibilitychange', beat);
  window.addEventListener('pagehide', leave);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', beat);
    window.removeEventListener('pagehide', leave);
    leave();
  };
}
