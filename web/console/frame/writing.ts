/** Where the focus is while somebody writes in a conversation, and whether a key belongs to the text. */
import { isCommandDialogOpen } from '../commands/opened.ts';

/** The address of an open conversation, with or without what stands before it. The group is its id. */
export const OPEN_CONVERSATION = /\/inbox\/[^/]+\/([0-9a-f]{24})$/;

/** A person who pauses for less than this is still writing, so a letter belongs to the text even if the field has lost the focus. */
const WRITING_MS = 3_000;

let writingUntil = Number.NEGATIVE_INFINITY;
/** What had the focus last, and whether it was part of a conversation; null when the user has clicked on the page itself. */
let lastFocus: { element: Element; isBesideText: boolean } | null = null;
let enteredAt = Number.NEGATIVE_INFINITY;

export const isWriting = (): boolean => performance.now() < writingUntil;

/** Ignores letter shortcuts for some seconds, because somebody writes or is about to. */
export function noteWriting(forMs = WRITING_MS): void {
  writingUntil = Math.max(writingUntil, performance.now() + forMs);
}

/** Letters are shortcuts again at once: the user has left the field on purpose. */
export function endWriting(): void {
  writingUntil = Number.NEGATIVE_INFINITY;
}

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

/** True for what is written as text. A choice is none, and of a search the list shows what it has found, which has keys. */
const isWritten = (event: Event): boolean =>
  isTyping(event) && !/^(search|select-)/.test((event.target as HTMLInputElement).type);

/** The state of an address that was opened by a key of the list. A page that is loaded again gives the focus to the field. */
export const FROM_LIST = { fromList: performance.timeOrigin };

/** True when the open conversation leaves the focus in the list, so that the next key goes on from there. */
export const isFromList = (): boolean => (history.state as typeof FROM_LIST | null)?.fromList === FROM_LIST.fromList;

const findField = (): HTMLTextAreaElement | null => document.querySelector('[data-composer] textarea');

/** On a phone, the keyboard would cover the messages, so nothing gives the focus to the field there. */
const findComposer = (): HTMLElement | null => (matchMedia('(pointer: fine)').matches ? findField() : null);

/** Returns the focus to the composer after an action such as attaching a file. Letter shortcuts are ignored for some seconds. */
export function returnToComposer(): void {
  if (findField() !== null) noteWriting();
  findComposer()?.focus();
}

/** Where the focus goes when a dialog or a menu of a conversation closes: to the field, to nothing on a phone, or else to where it was. */
export function findReturn(): HTMLElement | boolean {
  if (findField() !== null) noteWriting();
  return findComposer() ?? findField() === null;
}

/** True when something was begun in the open conversation, such as a text or a recording: its author has not finished, however long the pause is. */
export const isUnfinished = (): boolean => document.querySelector('[data-writing] [data-unfinished]') !== null;

/** True until a conversation that was opened to write in it is there. */
const isAwaited = (): boolean =>
  OPEN_CONVERSATION.test(location.pathname) && !isFromList() && document.querySelector('[data-writing]') === null;

const PARTS = '[data-writing], [data-notice], button, input, select';

/**
 * True when a letter belongs to the text of the open conversation: something was begun there, or the focus is on a part of the conversation
 * or on a button that may have taken it from the field. On a row of the list, also on one that has just gone, and on the messages as a
 * whole, letters are keys.
 */
export function isTextKey({ target, key }: KeyboardEvent): boolean {
  if (isAwaited()) return true;
  if (findField() === null || !(target instanceof Element)) return false;
  if (isOnRow(target)) return false;
  // R only goes to the field.
  if (key !== 'r' && isUnfinished()) return true;
  return (
    target.closest('[data-keys]') === null && target.getAttribute('role') !== 'log' && target.closest(PARTS) !== null
  );
}

/** True on a row of the list, and when the row that had the focus has just left the list. */
function isOnRow(target: Element): boolean {
  if (target !== document.body) return target.closest('[data-conversation]') !== null;
  return lastFocus !== null && !lastFocus.element.isConnected && lastFocus.element.matches('[data-conversation]');
}

/** Returns the conversation that a key changes: the one whose row has the focus, or else the open one. */
export const findMeant = (open: string | null): string | null =>
  document.activeElement?.closest<HTMLElement>('[data-conversation]')?.dataset['conversation'] ?? open;

/** True when a part of the conversation that had the focus is gone, such as a button that was pressed, so that the focus is nowhere. */
function hasLostFocus(): boolean {
  if (document.activeElement !== document.body || !lastFocus?.isBesideText) return false;
  return !lastFocus.element.isConnected || lastFocus.element.matches(':disabled');
}

/** True when nothing has the focus and letters are shortcuts, so that a row may take the focus. */
export const isFocusFree = (): boolean =>
  document.activeElement === document.body && !isWriting() && !isUnfinished() && !hasLostFocus();

/** Two presses that follow each other faster than this are one that was made twice. */
const STRAY_MS = 700;

/** True for an Enter that is held, or repeats one that was meant for something else. */
export const isStrayEnter = (event: KeyboardEvent): boolean => event.repeat || performance.now() - enteredAt < STRAY_MS;

document.addEventListener(
  'input',
  (event) => {
    enteredAt = Number.NEGATIVE_INFINITY;
    // What is typed into the palette is a search, too, and Escape leaves it on purpose.
    if (findField() !== null && isWritten(event) && !isCommandDialogOpen()) noteWriting();
  },
  { capture: true },
);
document.addEventListener(
  'focusin',
  ({ target }) => {
    const element = target as Element;
    lastFocus = { element, isBesideText: element.closest('[data-writing], [data-notice]') !== null };
    // Once the user has entered the field, Back and a reload return to the field instead of the list.
    if (element === findField() && isFromList()) history.replaceState(null, '');
  },
  { capture: true },
);
document.addEventListener(
  'pointerup',
  () => {
    if (document.activeElement === document.body) lastFocus = null;
  },
  { capture: true },
);
document.addEventListener(
  'keydown',
  (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (key === 'Enter' && !(target instanceof HTMLTextAreaElement)) enteredAt = performance.now();
    const isText = key.length === 1 && !ctrlKey && !metaKey && !altKey;
    if (isText && hasLostFocus() && !isCovered() && findComposer() !== null) returnToComposer();
  },
  { capture: true },
);
