/** Who views a conversation or types in it. */
import type { Presence } from '@parley/sdk';
import { parley } from '../client.ts';
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

/** Tells the others what this user does in a conversation. */
export function announcePresence(conversation: string, state: Presence['state']): void {
  // Failure policy: presence may be lost; the next one is told anew.
  parley.conversations.showPresence(conversation, { state }, { repeatForMs: 0 }).catch(() => undefined);
}
