/** The records of a list that the user has selected: one by one, as a range, or all that match. */
import { useEffect, useState } from 'react';
import { isLetterKey, isPlainKey } from '../../frame/shortcuts.ts';
import { findMeant } from '../../frame/writing.ts';

export interface Selection<T extends { _id: string }> {
  /** False for users who may not change these records. */
  isPossible: boolean;
  /** The selected records among the loaded ones. */
  items: readonly T[];
  /** True when those are selected that are not loaded, too. */
  isAll: boolean;
  has(id: string): boolean;
  /** Selects a record or takes it back; a range goes from the last one that was selected. */
  toggle(id: string, isRange: boolean): void;
  selectAll(): void;
  clear(): void;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Selects records of a list. Nothing stays selected when the list shows other records because its search or filters have changed. */
export function useSelection<T extends { _id: string }>(
  items: readonly T[],
  choice: object,
  isPossible: boolean,
): Selection<T> {
  const [chosen, setChosen] = useState(NOTHING);
  const [isAll, setAll] = useState(false);
  const [last, setLast] = useState<string | null>(null);
  const list = JSON.stringify(choice);
  const [shown, setShown] = useState(list);
  if (shown !== list) {
    setShown(list);
    setChosen(NOTHING);
    setAll(false);
    setLast(null);
  }
  const loaded = items.map(({ _id }) => _id);
  const has = (id: string): boolean => isAll || chosen.has(id);
  return {
    isPossible,
    items: items.filter(({ _id }) => has(_id)),
    isAll,
    has,
    toggle: (id, isRange) => {
      const isOn = !has(id);
      const touched = isRange && last !== null ? listRange(loaded, last, id) : [id];
      const others = loaded.filter((each) => has(each) && !touched.includes(each));
      // A range always selects; without one only this record changes.
      setChosen(new Set(isOn || isRange ? [...others, ...touched] : others));
      setAll(false);
      setLast(id);
    },
    selectAll: () => setAll(true),
    clear: () => {
      setChosen(NOTHING);
      setAll(false);
    },
  };
}

function listRange(ids: readonly string[], from: string, to: string): readonly string[] {
  const [a, b] = [ids.indexOf(from), ids.indexOf(to)];
  return a < 0 || b < 0 ? [to] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** X selects the conversation that has the focus, or else the open one; with Shift the range up to it. Escape selects nothing. */
export function useSelectionKeys<T extends { _id: string }>(selection: Selection<T>, current: string | null): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!selection.isPossible) return;
      if (event.key === 'Escape' && selection.items.length > 0 && isPlainKey(event)) return selection.clear();
      if (event.key.toLowerCase() !== 'x' || !isLetterKey(event)) return;
      const id = findMeant(current);
      if (id === null) return;
      event.preventDefault();
      selection.toggle(id, event.shiftKey);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [selection, current]);
}
