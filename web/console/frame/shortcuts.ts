/** Single-key shortcuts, such as J for the next conversation: which key presses are one, and which are text that missed its field. */
import { isCommandDialogOpen } from '../commands/opened.ts';
import { createStore, keep, readKept, useStore } from '../store.ts';

const KEPT_AS = 'parley.letter-keys';
const areLettersOn = createStore(readKept(KEPT_AS) !== 'off');

export const useLetterKeys = (): boolean => useStore(areLettersOn);

/** Turns the keys that are a letter or another character on or off in this browser. */
export function chooseLetterKeys(isOn: boolean): void {
  keep(KEPT_AS, isOn ? null : 'off');
  areLettersOn.set(isOn);
}

/** A person who pauses for less than this is still writing, so a letter belongs to the text even if the field has lost the focus. */
const WRITING_MS = 3_000;
/** Letters that miss their field follow each other faster than this. */
const ASTRAY_MS = 1_000;

let writingUntil = Number.NEGATIVE_INFINITY;

/** Ignores letter shortcuts for some seconds, because somebody writes or is about to. */
export function noteWriting(forMs = WRITING_MS): void {
  writingUntil = Math.max(writingUntil, performance.now() + forMs);
}

/** Letters are shortcuts again at once: the user has left the field on purpose. */
export function endWriting(): void {
  writingUntil = Number.NEGATIVE_INFINITY;
}

document.addEventListener('input', (event) => isWritten(event) && noteWriting(), { capture: true });
// What was written in a form, such as the log-in, has been accepted.
document.addEventListener('submit', endWriting, { capture: true });

/** True when the target of an event is a field in which text is written. */
export function isTyping({ target }: Event): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|file)$/.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}

/** True while a dialog or a menu lies above the page: keys belong to it. A notice at the edge of the page has the role of a dialog, but is none. */
export const isCovered = (): boolean =>
  isCommandDialogOpen() ||
  document.querySelector(':is([role=dialog], [role=alertdialog]):not([data-notice]), [role=menu], [role=listbox]') !==
    null;

/** True for a key that may be a shortcut: nobody types, nothing lies above the page, and no other key turns it into something else. */
export function isPlainKey(event: KeyboardEvent): boolean {
  const { ctrlKey, metaKey, altKey, defaultPrevented } = event;
  return !ctrlKey && !metaKey && !altKey && !defaultPrevented && !isTyping(event) && !isCovered();
}

/** True for what is written as text. A choice is none, and of a search the list shows what it has found, which has keys. */
const isWritten = (event: Event): boolean =>
  isTyping(event) && !/^(search|select-)/.test((event.target as HTMLInputElement).type);

/** True when the focus is on a button of a conversation, where it may have come from the field in which the user writes. */
const isBesideText = ({ target }: Event): boolean =>
  target instanceof Element && target.closest('[data-writing] :is(button, input, select, [role=tab])') !== null;

/**
 * True for a letter or another character that is a shortcut now. It is none while the focus is on a button of a conversation, nor
 * just after something was written.
 */
export function isLetterKey(event: KeyboardEvent): boolean {
  if (event.key.length !== 1 || !areLettersOn.get() || !isPlainKey(event)) return false;
  const isWriting = performance.now() < writingUntil;
  if (isWriting) noteWriting(ASTRAY_MS);
  return !isWriting && !isBesideText(event);
}
