/** Single-key shortcuts, such as J for the next conversation: which key presses are one, and which are text that missed its field. */
import { createStore, keep, readKept, useStore } from '../store.ts';
import { isCovered, isTextKey, isTyping, isWriting, noteWriting } from './writing.ts';

/** The key of commands such as undo, as it is called on this computer. */
export const COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

const KEPT_AS = 'parley.letter-keys';
const areLettersOn = createStore(readKept(KEPT_AS) !== 'off');

export const useLetterKeys = (): boolean => useStore(areLettersOn);

/** Turns the keys that are a letter or another character on or off in this browser. */
export function chooseLetterKeys(isOn: boolean): void {
  keep(KEPT_AS, isOn ? null : 'off');
  areLettersOn.set(isOn);
}

/** Letters that miss their field follow each other faster than this. */
const ASTRAY_MS = 1_000;

/** True for a key that may be a shortcut: nobody types, nothing lies above the page, and no other key turns it into something else. */
export function isPlainKey(event: KeyboardEvent): boolean {
  const { ctrlKey, metaKey, altKey, defaultPrevented } = event;
  return !ctrlKey && !metaKey && !altKey && !defaultPrevented && !isTyping(event) && !isCovered();
}

/**
 * True for a letter or another character that is a shortcut now. It is none where it belongs to the text of a conversation, nor just after
 * something was written.
 */
export function isLetterKey(event: KeyboardEvent): boolean {
  if (event.key.length !== 1 || !areLettersOn.get() || !isPlainKey(event)) return false;
  const isAstray = isWriting() || isTextKey(event);
  if (isAstray) noteWriting(ASTRAY_MS);
  return !isAstray;
}
