/**
 * J and K, or the arrows with Alt, open the next and the previous conversation of the list. The focus stays in the list. When the open
 * conversation leaves the list, the keys go on from the row that has taken its place.
 */
import type { Conversation } from '@parley/sdk';
import { useEffect, useRef, type RefObject } from 'react';
import { useLocation } from 'wouter';
import { isLetterKey } from '../../frame/shortcuts.ts';
import { findMeant, FROM_LIST, isCovered, isFocusFree, isTyping, isUnfinished } from '../../frame/writing.ts';

interface ListKeys {
  items: readonly Conversation[];
  view: string;
  current: string | null;
  /** Scrolls to the conversation at this place. */
  show(index: number): void;
}

export function useListKeys({ items, view, current, show }: ListKeys): void {
  const [, navigate] = useLocation();
  const place = usePlace(items, current);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const step = findStep(event);
      if (step === 0) return;
      const { at, isTaken } = place.current;
      const focused = at < 0 ? findFocused(items) : -1;
      const index = focused >= 0 ? focused + step : at < 0 ? 0 : isTaken && step > 0 ? at : at + step;
      const next = items[index];
      if (!next) return;
      event.preventDefault();
      show(index);
      navigate(`/${view}/${next._id}`, { state: FROM_LIST });
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [items, view, place, show, navigate]);
}

/** Where the open conversation is in the list, or the row that has taken its place. */
interface Place {
  current: string | null;
  /** The conversation in this place. */
  id: string | undefined;
  /** Negative when the open conversation was not in the list. */
  at: number;
  isTaken: boolean;
}

function usePlace(items: readonly Conversation[], current: string | null): RefObject<Place> {
  const place = useRef<Place>({ current, id: undefined, at: -1, isTaken: false });
  useEffect(() => {
    const find = (id: string | null | undefined): number => items.findIndex(({ _id }) => _id === id);
    const last = place.current.current === current ? place.current : null;
    const shown = find(current);
    const kept = shown < 0 && last ? find(last.id) : shown;
    const at = kept < 0 ? Math.min(last?.at ?? -1, items.length) : kept;
    place.current = { current, id: items[at]?._id, at, isTaken: shown < 0 };
    if (kept < 0 && at >= 0 && isFocusFree()) focusRow(items[at] ?? items.at(-1));
  }, [items, current]);
  return place;
}

/** The row that has the focus, from which the keys go on when no conversation is open; negative when there is none. */
function findFocused(items: readonly Conversation[]): number {
  const id = findMeant(null);
  return items.findIndex(({ _id }) => _id === id);
}

export const focusRow = (row: Conversation | undefined): void =>
  document.querySelector<HTMLElement>(`[data-conversation="${row?._id}"]`)?.focus({ preventScroll: true });

function findStep(event: KeyboardEvent): number {
  const { key, altKey, ctrlKey, metaKey } = event;
  if (ctrlKey || metaKey || isCovered()) return 0;
  // In a text, the arrows with Alt may move the caret, and files that were added would be lost.
  if (altKey && isTyping(event) && isUnfinished()) return 0;
  if (altKey) return key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if ((key !== 'j' && key !== 'k') || !isLetterKey(event)) return 0;
  return key === 'j' ? 1 : -1;
}
