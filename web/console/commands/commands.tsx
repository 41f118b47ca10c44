/** Ctrl-K searches and runs commands, and ? shows the keys. The dialogs are loaded when they are first opened. */
import { Suspense, useEffect, type ReactElement } from 'react';
import { compose, useMayCompose } from '../frame/composing.ts';
import { useForgottenCommand } from '../frame/creating.ts';
import { isLetterKey } from '../frame/shortcuts.ts';
import { isCovered } from '../frame/writing.ts';
import { lazyPart, LoadingDialog } from '../ui/lazy-part.tsx';
import {
  closeCommandDialog,
  findFocusBefore,
  isSearchOpen,
  openCommandDialog,
  typeAhead,
  useOpened,
} from './opened.ts';

const SearchDialog = lazyPart(async () => (await import('./search-dialog.tsx')).SearchDialog);
const KeysDialog = lazyPart(async () => (await import('./keys-dialog.tsx')).KeysDialog);

export function Commands(): ReactElement | null {
  const opened = useOpened();
  const mayCompose = useMayCompose();
  useForgottenCommand();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => pressKey(event, mayCompose);
    document.addEventListener('keydown', press);
    document.addEventListener('keydown', catchEarly, { capture: true });
    return () => {
      document.removeEventListener('keydown', press);
      document.removeEventListener('keydown', catchEarly, { capture: true });
    };
  }, [mayCompose]);
  if (opened === null) return null;
  return (
    <Suspense fallback={<LoadingDialog onClose={closeCommandDialog} />}>
      {opened === 'SEARCH' ? <SearchDialog /> : <KeysDialog />}
    </Suspense>
  );
}

function pressKey(event: KeyboardEvent, mayCompose: boolean): void {
  const { key, ctrlKey, metaKey } = event;
  if (key.toLowerCase() === 'k' && (ctrlKey || metaKey)) {
    // The browser would search the web.
    event.preventDefault();
    if (!isCovered()) openCommandDialog('SEARCH');
  } else if (key === 'c' && mayCompose && isLetterKey(event)) {
    event.preventDefault();
    compose();
  } else if (key === '?' && isLetterKey(event)) {
    event.preventDefault();
    openCommandDialog('KEYS');
  }
}

/** Until the field of the search has the focus, what is typed belongs to it and to nothing else on the page. */
function catchEarly(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, isComposing } = event;
  const isThere = document.activeElement?.closest('[role=dialog]:not([data-notice])');
  if (!isSearchOpen() || isThere || isComposing || ctrlKey || metaKey || altKey) return;
  event.preventDefault();
  event.stopPropagation();
  if (key !== 'Escape') return typeAhead(key);
  closeCommandDialog();
  findFocusBefore()?.focus();
}
