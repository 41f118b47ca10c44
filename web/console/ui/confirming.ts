/** The keys that confirm a dialog from one of its fields. */
import type { KeyboardEvent } from 'react';

/** Safari ends the composition before it reports the Enter that ended it, with this code. */
const COMPOSING = 229;

/** True for a key that belongs to the way in which a character is composed. */
export const isComposing = ({ nativeEvent }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === COMPOSING;

/** A search finds something inside the form, so Enter in it does not mean the form. */
const LINE = 'input:read-write:not([type=search])';

/**
 * Enter in a field of one line presses the main button of the dialog, as Ctrl+Enter does in every text field. It never presses a button that
 * removes something. An Enter that is held has opened the dialog, and confirms nothing.
 */
export function confirmOnEnter(event: KeyboardEvent<HTMLElement>): void {
  const { key, ctrlKey, metaKey, shiftKey, altKey, target, currentTarget, repeat, defaultPrevented } = event;
  if (key !== 'Enter' || defaultPrevented || isComposing(event) || !(target instanceof HTMLElement)) return;
  // The event of a dialog above this one comes here, too.
  if (!currentTarget.contains(target)) return;
  if (repeat && target instanceof HTMLButtonElement) event.preventDefault();
  const fields = ctrlKey || metaKey ? `${LINE}, textarea:read-write` : LINE;
  if (repeat || shiftKey || altKey || !target.matches(fields)) return;
  event.preventDefault();
  currentTarget.querySelector<HTMLButtonElement>('footer [data-kind=primary]:enabled')?.click();
}
