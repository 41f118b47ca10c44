/** Where the focus is while somebody works in the inbox: in the list of conversations, or in the field of the open one. */
import { noteWriting } from '../../frame/shortcuts.ts';

/** The state of an address that was opened by a key of the list. */
export const FROM_LIST = { isFromList: true };

/** True when the open conversation leaves the focus in the list, so that the next key goes on from there. */
export const isFromList = (): boolean => (history.state as typeof FROM_LIST | null)?.isFromList === true;

/** Returns the field in which a message is written. On a phone, its keyboard would cover the messages, so nothing gives it the focus. */
const findComposer = (): HTMLElement | null =>
  matchMedia('(pointer: fine)').matches ? document.querySelector<HTMLElement>('[data-composer] textarea') : null;

/** Gives the focus back to the field after something that belongs to writing. Until it is there, letters are no shortcuts. */
export function returnToComposer(): void {
  noteWriting();
  findComposer()?.focus();
}

/** Where the focus goes when a dialog or a menu of a conversation closes: to the field, or else to where it was. */
export function findReturn(): HTMLElement | true {
  noteWriting();
  return findComposer() ?? true;
}
