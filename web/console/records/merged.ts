/** Conversations that were merged into others while this page is open. A user who has one open is taken to the other. */
import type { HistoryEntry } from '@parley/sdk';
import { createStore, useStore } from '../store.ts';

type MergeListener = (from: string, into: string) => void;

const merged = createStore<ReadonlyMap<string, string>>(new Map());
const listeners: MergeListener[] = [];

/** The conversation into which this one was merged; null if it was not. */
export const useMergedInto = (conversation: string): string | null =>
  useStore(merged, (all) => all.get(conversation) ?? null);

/** Returns the conversation that has the messages of this one now: itself, unless it was merged. */
export function findRemaining(conversation: string): string {
  const into = merged.get().get(conversation);
  return into === undefined ? conversation : findRemaining(into);
}

/** Calls `listen` for each merge, also for those that were noted before. */
export function whenMerged(listen: MergeListener): void {
  for (const [from, into] of merged.get()) listen(from, into);
  listeners.push(listen);
}

export function noteMerge(from: string, into: string): void {
  if (merged.get().has(from)) return;
  merged.set(new Map(merged.get()).set(from, into));
  for (const listen of listeners) listen(from, into);
}

/** Notes the merges that an entry of a history reports, and returns the removed conversations. */
export function noteMerges({ changes }: HistoryEntry): string[] {
  const removed: string[] = [];
  for (const { field, from, to } of changes) {
    if (field !== 'merged' || from === null || to === null) continue;
    noteMerge(from, to);
    removed.push(from);
  }
  return removed;
}
