/** Keys that do something by themselves, such as J for the next conversation. */

/** True when a key that is pressed writes into a field, so that it is no shortcut. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** True while a dialog or a menu lies above the page: keys belong to it. A notice at the edge of the page has the role of a dialog, but is none. */
export const isCovered = (): boolean =>
  document.querySelector(':is([role=dialog], [role=alertdialog]):not([data-notice]), [role=menu], [role=listbox]') !==
  null;

/** True for a key that may be a shortcut: nobody types, nothing lies above the page, and no other key turns it into something else. */
export function isPlainKey(event: KeyboardEvent): boolean {
  const { ctrlKey, metaKey, altKey, defaultPrevented } = event;
  return !ctrlKey && !metaKey && !altKey && !defaultPrevented && !isTyping(event) && !isCovered();
}
