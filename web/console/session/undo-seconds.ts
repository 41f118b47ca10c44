/** How many seconds the platform holds what the user sends, so that it can be taken back. The setting is kept in this browser. */
import { createStore, keep, readKept, useStore } from '../store.ts';

export const UNDO_SECONDS = ['0', '5', '10', '20'] as const;
type UndoSeconds = (typeof UNDO_SECONDS)[number];

const KEPT_AS = 'parley.undo-send';
const DEFAULT: UndoSeconds = '10';
const seconds = createStore<UndoSeconds>(UNDO_SECONDS.find((each) => each === readKept(KEPT_AS)) ?? DEFAULT);

export const useUndoSeconds = (): UndoSeconds => useStore(seconds);
export const readUndoSeconds = (): number => Number(seconds.get());

export function chooseUndoSeconds(chosen: UndoSeconds): void {
  keep(KEPT_AS, chosen === DEFAULT ? null : chosen);
  seconds.set(chosen);
}
