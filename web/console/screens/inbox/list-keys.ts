/** J and K, or the arrows with Alt, open the next and the previous conversation of the list. The focus stays in the list. */
import type { Conversation } from '@parley/sdk';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { isLetterKey } from '../../frame/shortcuts.ts';
import { FROM_LIST, isCovered, isTyping, isUnfinished } from '../../frame/writing.ts';

interface ListKeys {
  items: readonly Conversation[];
  view: string;
  current: string | null;
  /** Scrolls to the conversation at this place. */
  show(index: number): void;
}

export function useListKeys({ items, view, current, show }: ListKeys): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const step = findStep(event);
      if (step === 0) return;
      const at = items.findIndex(({ _id }) => _id === current);
      const index = at < 0 ? 0 : at + step;
      const next = items[index];
      if (!next) return;
      event.preventDefault();
      show(index);
      navigate(`/${view}/${next._id}`, { state: FROM_LIST });
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [items, view, current, show, navigate]);
}

function findStep(event: KeyboardEvent): number {
  const { key, altKey, ctrlKey, metaKey } = event;
  if (ctrlKey || metaKey || isCovered()) return 0;
  // In a text, the arrows with Alt may move the caret, and files that were added would be lost.
  if (altKey && isTyping(event) && isUnfinished()) return 0;
  if (altKey) return key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if ((key !== 'j' && key !== 'k') || !isLetterKey(event)) return 0;
  return key === 'j' ? 1 : -1;
}
